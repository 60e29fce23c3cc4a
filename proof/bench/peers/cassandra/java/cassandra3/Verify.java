// Cassandra 3.11's verifier.
import java.io.File;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.Verifier;
import org.apache.cassandra.io.sstable.*;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.OutputHandler;

final class Verify {
    /** Stores have their folders in `data`. */
    static void init(File data) {
        DatabaseDescriptor.daemonInitialization();
        DatabaseDescriptor.getAllDataFileLocations()[0] = data.getPath();
        Table.init(false);
    }

    /** Its store, without SSTables. */
    static ColumnFamilyStore store(Table table) { return table.store(); }

    static SSTableReader open(Table table, ColumnFamilyStore store, File data) throws Exception {
        Descriptor descriptor = Descriptor.fromFilename(data.getPath());
        return SSTableReader.openNoValidation(descriptor, SSTable.componentsFor(descriptor), store);
    }

    static void verify(ColumnFamilyStore store, SSTableReader reader, OutputHandler said) throws Exception {
        try (Verifier verifier = new Verifier(store, reader, said, true)) {
            verifier.verify(true);
        }
    }
}
