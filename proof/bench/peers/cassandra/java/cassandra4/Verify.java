// Cassandra 4.1's verifier.
import java.io.File;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.compaction.Verifier;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.Schema;
import org.apache.cassandra.utils.OutputHandler;

final class Verify {
    /** Stores have their folders in `data`. */
    static void init(File data) {
        // Not as a server: the schema would come from its peers.
        DatabaseDescriptor.toolInitialization();
        DatabaseDescriptor.getNonLocalSystemKeyspacesDataFileLocations()[0] = data.getPath();
        Table.init(false);
    }

    /** Its store, without SSTables. */
    static ColumnFamilyStore store(Table table) {
        Keyspace keyspace = Keyspace.openWithoutSSTables("ks");
        if (!keyspace.hasColumnFamilyStore(table.metadata.id)) keyspace.initCf(Schema.instance.getTableMetadataRef(table.metadata.id), false);
        return keyspace.getColumnFamilyStore(table.metadata.id);
    }

    static SSTableReader open(Table table, ColumnFamilyStore store, File data) throws Exception { return table.open(data); }

    static void verify(ColumnFamilyStore store, SSTableReader reader, OutputHandler said) throws Exception {
        Verifier.Options options = Verifier.options().extendedVerification(true).checkVersion(true).build();
        try (Verifier verifier = new Verifier(store, reader, said, true, options)) {
            verifier.verify();
        }
    }
}
