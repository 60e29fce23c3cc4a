// SSTables as Cassandra's verifier finds them, which sstableverify calls: every value read, every checksum. args: SCRIPT
// A line of the script, its fields separated by tabs: DATA_DB SCHEMA. Printed is one line for each: DATA_DB, a tab, and "valid" or what was found.
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.compaction.Verifier;
import org.apache.cassandra.io.sstable.*;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.OutputHandler;

public class Verified {
    private static final class Quiet implements OutputHandler {
        String last = "";
        public void output(String message) {}
        public void debug(String message) {}
        public void warn(String message) { last = message; }
        public void warn(String message, Throwable cause) { last = message + ": " + cause; }
    }

    public static void main(String[] args) throws Exception {
        DatabaseDescriptor.daemonInitialization();
        Table.init(false);
        File scratch = Files.createTempDirectory("verified").toFile();
        int number = 0;
        for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
            String[] fields = line.split("\t");
            Quiet said = new Quiet();
            try {
                verify(new File(fields[0]), Write.unescaped(fields[1]), new File(scratch, "" + number++), said);
                System.out.println(fields[0] + "\tvalid");
            } catch (Throwable found) {
                System.out.println(fields[0] + "\t" + String.valueOf(found).replace('\n', ' ') + " " + said.last.replace('\n', ' '));
            }
        }
        System.exit(0);
    }

    /** Of a copy: on a finding the verifier changes the statistics. */
    private static void verify(File data, String schema, File copy, OutputHandler said) throws Exception {
        ColumnFamilyStore store = Table.of(schema).store();
        copy.mkdirs();
        String prefix = data.getName().substring(0, data.getName().length() - "Data.db".length());
        for (File file : data.getParentFile().listFiles()) {
            if (file.getName().startsWith(prefix)) Files.copy(file.toPath(), new File(copy, file.getName()).toPath());
        }
        Descriptor descriptor = Descriptor.fromFilename(new File(copy, data.getName()).getPath());
        SSTableReader reader = SSTableReader.openNoValidation(descriptor, SSTable.componentsFor(descriptor), store);
        try (Verifier verifier = new Verifier(store, reader, said, true)) {
            verifier.verify(true);
        }
    }
}
