// SSTables as Cassandra's verifier and scrubber find them, which sstableverify and sstablescrub call. args: SCRIPT
// The verifier compares checksums, components, and the keys of the index with those of the data; the scrubber reads every value, and what it writes is
// removed. A line of the script, its fields separated by tabs: DATA_DB SCHEMA, and `scrub` if it is to be scrubbed too. Printed is one line for each:
// DATA_DB, a tab, and "valid" or what was found.
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.*;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.OutputHandler;

public class Verified {
    private static final class Quiet implements OutputHandler {
        String warnings = "";
        public void output(String message) {}
        public void debug(String message) {}
        public void warn(String message) { warnings += message + " "; }
        public void warn(String message, Throwable cause) {
            Throwable first = cause;
            while (first.getCause() != null) first = first.getCause();
            warn(message + ": " + first);
        }
    }

    public static void main(String[] args) throws Exception {
        File scratch = Files.createTempDirectory("verified").toFile();
        Verify.init(new File(scratch, "data"));
        int number = 0;
        for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
            String[] fields = line.split("\t");
            Quiet said = new Quiet();
            String found = "";
            try {
                check(new File(fields[0]), Write.unescaped(fields[1]), fields.length > 2, new File(scratch, "" + number++), said);
            } catch (Throwable thrown) {
                found = thrown + " ";
            }
            found += said.warnings;
            System.out.println(fields[0] + "\t" + (found.isEmpty() ? "valid" : found.replace('\n', ' ')));
        }
        remove(scratch);
        System.exit(0);
    }

    /** Of a copy: on a finding the verifier changes the statistics, and the scrubber removes what it has read. */
    private static void check(File data, String schema, boolean isScrubbed, File copy, OutputHandler said) throws Exception {
        Table table = Table.of(schema);
        ColumnFamilyStore store = Verify.store(table);
        copy.mkdirs();
        String prefix = data.getName().substring(0, data.getName().length() - "Data.db".length());
        for (File file : data.getParentFile().listFiles()) {
            if (file.getName().startsWith(prefix)) Files.copy(file.toPath(), new File(copy, file.getName()).toPath());
        }
        SSTableReader reader = Verify.open(table, store, new File(copy, data.getName()));
        Verify.verify(store, reader, said);
        if (!isScrubbed) return;
        LifecycleTransaction transaction = LifecycleTransaction.offline(OperationType.SCRUB, reader);
        try (Scrubber scrubber = new Scrubber(store, transaction, false, said, true, false)) {
            scrubber.scrub();
        }
    }

    private static void remove(File file) {
        File[] entries = file.listFiles();
        if (entries != null) for (File entry : entries) remove(entry);
        file.delete();
    }
}
