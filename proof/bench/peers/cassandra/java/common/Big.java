// A table by Cassandra's own streaming writer, a row at a time. args: FOLDER big|bti PARTITIONS ROWS VALUE_BYTES NAME
// (pk int, ck int, value blob): partitions 0 to PARTITIONS - 1 of ROWS rows each, ck = 2i + 1, timestamp 1600000000000000 + i,
// no row markers, uncompressed. The SSTable goes to FOLDER/ks/NAME.
import java.io.File;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.rows.*;
import org.apache.cassandra.io.sstable.SSTableTxnWriter;
import org.apache.cassandra.utils.ByteBufferUtil;

public class Big {
    static final long T0 = 1_600_000_000_000_000L;

    static long mix(long z) {
        z += 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }

    /** The value of row i: from x = i on, x = mix(x) for every eight bytes, little-endian. */
    static ByteBuffer value(int len, long x) {
        byte[] bytes = new byte[len];
        for (int i = 0; i < len; ) {
            x = mix(x);
            for (int k = 0; k < 8 && i < len; k++) bytes[i++] = (byte) (x >>> 8 * k);
        }
        return ByteBuffer.wrap(bytes);
    }

    static String schema(String name) {
        return "CREATE TABLE ks." + name + " (pk int, ck int, value blob, PRIMARY KEY (pk, ck)) WITH compression = {'enabled': false}";
    }

    public static void main(String[] args) throws Exception {
        Table.init(args[1].equals("bti"));
        int partitionCount = Integer.parseInt(args[2]), rowCount = Integer.parseInt(args[3]), len = Integer.parseInt(args[4]);
        String name = args[5];
        Table table = Table.of(schema(name));
        List<DecoratedKey> keys = new ArrayList<>();
        for (int i = 0; i < partitionCount; i++) keys.add(table.key(ByteBufferUtil.bytes(i)));
        Collections.sort(keys);
        EncodingStats stats = new EncodingStats(T0, LivenessInfo.NO_EXPIRATION_TIME, 0);
        SSTableTxnWriter writer = table.writer(new File(args[0], "ks/" + name), 1, partitionCount, stats);
        for (DecoratedKey key : keys) {
            writer.append(table.stream(key, stats, new Iterator<Row>() {
                int i = 0;
                public boolean hasNext() { return i < rowCount; }
                public Row next() {
                    Clustering ck = Clustering.make(ByteBufferUtil.bytes(2 * i + 1));
                    return table.row(ck, "value", T0 + i, value(len, i++));
                }
            }));
        }
        writer.finish(false);
        System.exit(0);
    }
}
