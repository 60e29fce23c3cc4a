// The table of Big's first partition through CQLSSTableWriter, as loaders write it: INSERTs with timestamps, rows in order. args: FOLDER ROWS VALUE_BYTES
// It holds the partition in memory until it ends.
import org.apache.cassandra.io.sstable.CQLSSTableWriter;

public class Load {
    public static void main(String[] args) throws Exception {
        int rows = Integer.parseInt(args[1]), len = Integer.parseInt(args[2]);
        new java.io.File(args[0]).mkdirs();
        CQLSSTableWriter writer = CQLSSTableWriter.builder()
            .inDirectory(args[0])
            .forTable("CREATE TABLE ks.loaded (pk int, ck int, value blob, PRIMARY KEY (pk, ck)) WITH compression = {'enabled': 'false'}")
            .using("INSERT INTO ks.loaded (pk, ck, value) VALUES (?, ?, ?) USING TIMESTAMP ?")
            .sorted()
            .build();
        for (int i = 0; i < rows; i++) writer.addRow(0, 2 * i + 1, Big.value(len, i), Big.T0 + i);
        writer.close();
        System.exit(0);
    }
}
