// Compacts SSTables as Cassandra's compaction does, in one process. args: SCRIPT
// A line of the script, its fields separated by tabs: SOURCE TARGET GENERATION NOW GC_BEFORE SCHEMA
// All SSTables of the folder SOURCE are merged into one in the folder TARGET; tombstones made before the second GC_BEFORE are dropped as if there
// were no other SSTable. Where nothing is left, TARGET is printed and nothing is written.
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.function.LongPredicate;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.partitions.*;
import org.apache.cassandra.db.rows.*;
import org.apache.cassandra.db.transform.Transformation;
import org.apache.cassandra.io.sstable.*;
import org.apache.cassandra.io.sstable.format.SSTableReader;

public class Compact {
    private static final class Purger extends PurgeFunction {
        Purger(int now, int gcBefore) { super(now, gcBefore, Integer.MAX_VALUE, false, false); }
        @Override protected LongPredicate getPurgeEvaluator() { return time -> true; }
    }

    public static void main(String[] args) throws Exception {
        Table.init(false);
        // Counters of one clock and several counts are reported to the compaction manager, which is started for that.
        DatabaseDescriptor.setConcurrentCompactors(1);
        DatabaseDescriptor.setConcurrentValidations(1);
        DatabaseDescriptor.setConcurrentViewBuilders(1);
        for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
            String[] fields = line.split("\t");
            Table table = Table.of(Write.unescaped(fields[5]));
            try {
                compact(new File(fields[0]), new File(fields[1]), Integer.parseInt(fields[2]), Integer.parseInt(fields[3]), Integer.parseInt(fields[4]), table);
            } catch (ExceptionInInitializerError error) {
                throw new Exception(fields[0], error.getCause());
            }
        }
        System.exit(0);
    }

    private static void compact(File source, File target, int generation, int now, int gcBefore, Table table) throws Exception {
        File[] data = source.listFiles((folder, name) -> name.endsWith("-Data.db"));
        Arrays.sort(data);
        List<ISSTableScanner> scanners = new ArrayList<>();
        List<SSTableReader> readers = new ArrayList<>();
        for (File file : data) {
            readers.add(table.open(file));
            scanners.add(readers.get(readers.size() - 1).getScanner());
        }
        SSTableTxnWriter writer = null;
        try (UnfilteredPartitionIterator merged = UnfilteredPartitionIterators.merge(scanners, UnfilteredPartitionIterators.MergeListener.NOOP);
             UnfilteredPartitionIterator left = Transformation.apply(merged, new Purger(now, gcBefore))) {
            while (left.hasNext()) {
                try (UnfilteredRowIterator rows = left.next()) {
                    if (rows.isEmpty()) continue;
                    if (writer == null) writer = table.writer(target, generation, 100, EncodingStats.NO_STATS);
                    writer.append(rows);
                }
            }
        }
        if (writer == null) System.out.println(target);
        else writer.finish(false);
        for (SSTableReader reader : readers) reader.selfRef().release();
    }
}
