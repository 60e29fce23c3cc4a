// Slices of the partition 0 of a table of Big's, measured. args: big|bti mmap|standard DATA NAME
// A line on standard input is: FIRST COUNT TURNS, the number of a row, of rows, of repetitions. The answer is a line: rows read, ns of wall
// clock, ns of this thread, calls of read, bytes that they read; of all turns together. With `standard` the table is opened again before each
// line, so that nothing is in Cassandra's own caches; opening isn't counted.
import java.io.*;
import java.lang.management.ManagementFactory;
import java.nio.file.*;
import org.apache.cassandra.config.*;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.rows.*;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.ByteBufferUtil;

public class Timed {
    public static void main(String[] args) throws Exception {
        Table.init(args[0].equals("bti"));
        Config.DiskAccessMode mode = Config.DiskAccessMode.valueOf(args[1]);
        DatabaseDescriptor.setDiskAccessMode(mode);
        DatabaseDescriptor.setIndexAccessMode(mode);
        Table table = Table.of(Big.schema(args[3]));
        File data = new File(args[2]);
        SSTableReader reader = table.open(data);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            if (mode == Config.DiskAccessMode.standard) {
                reader.selfRef().release();
                reader = table.open(data);
            }
            System.out.println(slices(table, reader, Integer.parseInt(words[0]), Integer.parseInt(words[1]), Integer.parseInt(words[2])));
        }
        System.exit(0);
    }

    private static String slices(Table table, SSTableReader reader, int first, int count, int turns) throws Exception {
        DecoratedKey key = table.key(ByteBufferUtil.bytes(0));
        ClusteringBound from = Table.bound(ClusteringPrefix.Kind.INCL_START_BOUND, ByteBufferUtil.bytes(2 * first + 1));
        Slices slices = Slices.with(table.comparator(), Slice.make(from, Table.bound(ClusteringPrefix.Kind.INCL_END_BOUND)));
        long[] probe = io(), before = io();
        long cpu = cpu(), start = System.nanoTime();
        long rows = 0;
        for (int turn = 0; turn < turns; turn++) {
            try (UnfilteredRowIterator items = table.read(reader, key, slices, false)) {
                for (int left = count; left > 0 && items.hasNext(); left--) {
                    items.next();
                    rows++;
                }
            }
        }
        long wall = System.nanoTime() - start, used = cpu() - cpu;
        long[] after = io();
        // Reading the counters is counted too: as much as between the two readings before.
        long calls = after[0] - before[0] - (before[0] - probe[0]), bytes = after[1] - before[1] - (before[1] - probe[1]);
        return rows + " " + wall + " " + used + " " + calls + " " + bytes;
    }

    private static long cpu() { return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(); }

    /** Calls of read, and bytes that they read, of this process. */
    private static long[] io() throws Exception {
        long[] counts = new long[2];
        for (String line : Files.readAllLines(Paths.get("/proc/self/io"))) {
            if (line.startsWith("syscr:")) counts[0] = Long.parseLong(line.substring(6).trim());
            if (line.startsWith("rchar:")) counts[1] = Long.parseLong(line.substring(6).trim());
        }
        return counts;
    }
}
