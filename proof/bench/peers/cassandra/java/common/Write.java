// Writes the tables of a script by Cassandra's own writer. args: FOLDER big|bti SCRIPT
// A line of the script is one of these; in it \n, \r and \\ stand for a line feed, a carriage return, a backslash:
//   table NAME GENERATION BLOCK_KIB SCHEMA   the SSTable that the lines up to `end` make goes to FOLDER/ks/NAME
//   cell KEY CLUSTERING COLUMN TIMESTAMP VALUE   a value in hexadecimal, or none, that CQL has no literal for; KEY and CLUSTERING of one column each
//   counter KEY CLUSTERING COLUMN TIMESTAMP SHARD...   a counter; a shard is ID,CLOCK,COUNT
//   end
//   a statement of CQL: INSERT, UPDATE or DELETE
// Statements are applied in memory, merged and written, as if the time were Table.CLOCK. Those that Cassandra refuses are printed.
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.context.CounterContext;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.*;
import org.apache.cassandra.io.sstable.SSTableTxnWriter;
import org.apache.cassandra.utils.*;

public class Write {
    public static void main(String[] args) throws Exception {
        Table.init(args[1].equals("bti"));
        Write write = new Write(new File(args[0], "ks"));
        for (String line : Files.readAllLines(Paths.get(args[2]), StandardCharsets.UTF_8)) write.line(unescaped(line));
        System.exit(0);
    }

    static String unescaped(String line) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\') {
                c = line.charAt(++i);
                c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
            }
            out.append(c);
        }
        return out.toString();
    }

    private final File folder;
    private Map<DecoratedKey, List<PartitionUpdate>> updates;
    private Table table;
    private File target;
    private int generation;

    Write(File folder) { this.folder = folder; }

    void line(String line) throws Exception {
        String[] words = line.split(" ", 5);
        if (words[0].equals("table")) {
            table = Table.of(words[4]);
            Table.setBlockKib(Integer.parseInt(words[3]));
            target = new File(folder, words[1]);
            generation = Integer.parseInt(words[2]);
            updates = new TreeMap<>();
        } else if (words[0].equals("end")) {
            try {
                end();
            } catch (NullPointerException unmergeable) {
                // Cassandra's own merge of a row's updates ends so for some columns: it can't write the table.
                System.out.println("refused: " + unmergeable + ": " + target);
            }
        }
        else if (words[0].equals("cell")) cell(line.split(" "), ByteBufferUtil.hexToBytes(line.substring(line.lastIndexOf(' ') + 1)));
        else if (words[0].equals("counter")) cell(line.split(" "), shards(line.split(" ")));
        else {
            try {
                for (PartitionUpdate update : table.apply(line)) add(update);
            } catch (Exception | AssertionError refused) {
                System.out.println("refused: " + refused + ": " + line);
            }
        }
    }

    private void add(PartitionUpdate update) { updates.computeIfAbsent(update.partitionKey(), key -> new ArrayList<>()).add(update); }

    private static ByteBuffer shards(String[] words) {
        CounterContext contexts = CounterContext.instance();
        ByteBuffer value = null;
        for (int i = 5; i < words.length; i++) {
            String[] shard = words[i].split(",");
            ByteBuffer one = contexts.createGlobal(CounterId.fromInt(Integer.parseInt(shard[0])), Long.parseLong(shard[1]), Long.parseLong(shard[2]));
            value = value == null ? one : contexts.merge(value, one);
        }
        return value;
    }

    private void cell(String[] words, ByteBuffer value) {
        Clustering clustering = Clustering.make(ByteBufferUtil.hexToBytes(words[2]));
        Row row = table.row(clustering, words[3], Long.parseLong(words[4]), value);
        add(table.update(table.key(ByteBufferUtil.hexToBytes(words[1])), row));
    }

    private void end() throws Exception {
        // Nothing is written of a table whose statements were all refused: a writer can't end without a partition.
        if (updates.isEmpty()) return;
        List<PartitionUpdate> merged = new ArrayList<>();
        EncodingStats stats = EncodingStats.NO_STATS;
        for (List<PartitionUpdate> list : updates.values()) {
            PartitionUpdate update = PartitionUpdate.merge(list);
            merged.add(update);
            stats = stats.mergeWith(update.stats());
        }
        SSTableTxnWriter writer = table.writer(target, generation, merged.size(), stats);
        for (PartitionUpdate update : merged) {
            try (UnfilteredRowIterator rows = update.unfilteredIterator()) { writer.append(rows); }
        }
        writer.finish(false);
    }
}
