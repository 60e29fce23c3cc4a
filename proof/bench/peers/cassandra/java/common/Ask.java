// Slices by Cassandra's own reader. args: big|bti QUESTIONS
// A line of the questions, its fields separated by tabs:
//   table PATH SCHEMA   what is asked from here on: an SSTable by its Data.db, or all SSTables of a folder, merged
//   KEY FROM TO forward|reverse LIMIT NOW   FROM and TO: "-", or "[" or "(" (without the bound itself) and values in hexadecimal, each ended by a comma
// The answer to each question is printed: a line "?", then what was read, then what is live at NOW, as `show` and its neighbours print it.
import java.io.*;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.rows.*;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.ByteBufferUtil;

public class Ask {
    public static void main(String[] args) throws Exception {
        Table.init(args[0].equals("bti"));
        try (PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false, "UTF-8")) {
            Ask ask = new Ask(out);
            for (String line : Files.readAllLines(Paths.get(args[1]), StandardCharsets.UTF_8)) {
                String[] fields = line.split("\t");
                if (fields[0].equals("table")) ask.open(new File(fields[1]), Table.of(Write.unescaped(fields[2])));
                else ask.answer(fields);
            }
        }
        System.exit(0);
    }

    private final PrintStream out;
    private final List<SSTableReader> readers = new ArrayList<>();
    private Table table;

    Ask(PrintStream out) { this.out = out; }

    void open(File path, Table table) throws Exception {
        for (SSTableReader reader : readers) reader.selfRef().release();
        readers.clear();
        this.table = table;
        File[] data = path.isDirectory() ? path.listFiles((folder, name) -> name.endsWith("-Data.db")) : new File[]{path};
        Arrays.sort(data);
        for (File file : data) readers.add(table.open(file));
    }

    private ClusteringBound bound(String text, boolean isStart) {
        if (text.equals("-")) return Table.bound(isStart ? ClusteringPrefix.Kind.INCL_START_BOUND : ClusteringPrefix.Kind.INCL_END_BOUND);
        boolean isInclusive = text.charAt(0) == '[';
        ClusteringPrefix.Kind kind = isStart
            ? isInclusive ? ClusteringPrefix.Kind.INCL_START_BOUND : ClusteringPrefix.Kind.EXCL_START_BOUND
            : isInclusive ? ClusteringPrefix.Kind.INCL_END_BOUND : ClusteringPrefix.Kind.EXCL_END_BOUND;
        List<ByteBuffer> values = new ArrayList<>();
        for (int at = 1, comma; (comma = text.indexOf(',', at)) >= 0; at = comma + 1) values.add(ByteBufferUtil.hexToBytes(text.substring(at, comma)));
        return Table.bound(kind, values.toArray(new ByteBuffer[0]));
    }

    private UnfilteredRowIterator read(DecoratedKey key, Slices slices, boolean isReverse, int now) {
        List<UnfilteredRowIterator> parts = new ArrayList<>();
        for (SSTableReader reader : readers) parts.add(table.read(reader, key, slices, isReverse));
        return parts.size() == 1 ? parts.get(0) : Table.merge(parts, now);
    }

    void answer(String[] fields) {
        out.println("?");
        DecoratedKey key = table.key(ByteBufferUtil.hexToBytes(fields[0]));
        Slice slice = Slice.make(bound(fields[1], true), bound(fields[2], false));
        if (slice.isEmpty(table.comparator())) {
            out.println("refused");
            return;
        }
        Slices slices = Slices.with(table.comparator(), slice);
        boolean isReverse = fields[3].equals("reverse");
        long limit = Long.parseLong(fields[4]);
        int now = Integer.parseInt(fields[5]);
        try (UnfilteredRowIterator items = read(key, slices, isReverse, now)) {
            if (!items.partitionLevelDeletion().isLive()) out.println("partition deleted " + show(items.partitionLevelDeletion()));
            if (!items.staticRow().isEmpty()) show("static", items.staticRow());
            for (long rows = 0; (limit == 0 || rows < limit) && items.hasNext(); ) {
                Unfiltered item = items.next();
                if (item.isRow()) {
                    rows++;
                    show("row " + show((ClusteringPrefix) item.clustering()), (Row) item);
                } else show((RangeTombstoneMarker) item, isReverse);
            }
        }
        try (UnfilteredRowIterator items = read(key, slices, isReverse, now); RowIterator live = UnfilteredRowIterators.filter(items, now)) {
            if (!live.staticRow().isEmpty()) showLive("live static", live.staticRow());
            for (long rows = 0; (limit == 0 || rows < limit) && live.hasNext(); rows++) {
                Row row = live.next();
                showLive("live " + show((ClusteringPrefix) row.clustering()), row);
            }
        }
    }

    private static String show(ClusteringPrefix prefix) {
        StringBuilder text = new StringBuilder("(");
        for (int i = 0; i < prefix.size(); i++) text.append(Table.part(prefix, i) == null ? "null" : hex(Table.part(prefix, i))).append(',');
        return text.append(')').toString();
    }

    private static String hex(ByteBuffer bytes) { return ByteBufferUtil.bytesToHex(bytes); }

    /** "None" is 2^31 - 1 up to 4.1 and 2^63 - 1 later. */
    private static String time(long seconds) { return seconds == Long.MAX_VALUE || seconds == Integer.MAX_VALUE ? "never" : Long.toString(seconds); }

    private static String show(DeletionTime deletion) { return deletion.markedForDeleteAt() + " " + time(deletion.localDeletionTime()); }

    private static String name(Cell cell) { return cell.column().name + (cell.path() == null ? "" : "[" + hex(cell.path().get(0)) + "]"); }

    private void show(String what, Row row) {
        LivenessInfo liveness = row.primaryKeyLivenessInfo();
        if (!liveness.isEmpty()) what += " written " + liveness.timestamp();
        if (liveness.isExpiring()) what += " ttl " + liveness.ttl() + " until " + time(liveness.localExpirationTime());
        if (!row.deletion().isLive()) what += " deleted " + show(row.deletion().time());
        out.println(what);
        for (ColumnData data : row) {
            if (data.column().isSimple()) show((Cell) data);
            else {
                ComplexColumnData complex = (ComplexColumnData) data;
                if (!complex.complexDeletion().isLive()) out.println(" " + data.column().name + " deleted " + show(complex.complexDeletion()));
                for (Cell cell : complex) show(cell);
            }
        }
    }

    private void show(Cell cell) {
        out.println(" " + name(cell) + " " + cell.timestamp() + " " + cell.ttl() + " " + time(cell.localDeletionTime()) + " " + hex(Table.value(cell)));
    }

    private void showLive(String what, Row row) {
        out.println(what);
        for (Cell cell : row.cells()) out.println(" " + name(cell) + " " + hex(Table.value(cell)));
    }

    private void show(RangeTombstoneMarker marker, boolean isReverse) {
        String text = marker.clustering().kind() + " " + show((ClusteringPrefix) marker.clustering());
        if (marker.isClose(isReverse)) text += " closes " + show(marker.closeDeletionTime(isReverse));
        if (marker.isOpen(isReverse)) text += " opens " + show(marker.openDeletionTime(isReverse));
        out.println(text);
    }
}
