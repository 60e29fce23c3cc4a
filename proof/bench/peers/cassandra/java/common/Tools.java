// Cassandra's own tools, one call after the other in one process. args: CALLS
// A line of the file of calls, its fields separated by tabs: OUTPUT CLASS ARGUMENT... What the tool prints goes to the file OUTPUT;
// what it ends with, if it isn't 0, is printed as OUTPUT, a tab, and the reason.
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.security.Permission;
import java.util.*;

public class Tools {
    private static final class Exit extends SecurityException {
        final int code;
        Exit(int code) { this.code = code; }
    }

    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        System.setSecurityManager(new SecurityManager() {
            @Override public void checkExit(int code) { throw new Exit(code); }
            @Override public void checkPermission(Permission permission) {}
        });
        for (String line : Files.readAllLines(Paths.get(args[0]), StandardCharsets.UTF_8)) {
            String[] fields = line.split("\t");
            try (PrintStream file = new PrintStream(new BufferedOutputStream(new FileOutputStream(fields[0]), 1 << 16), false, "UTF-8")) {
                System.setOut(file);
                String reason = call(fields[1], Arrays.copyOfRange(fields, 2, fields.length));
                if (reason != null) out.println(fields[0] + "\t" + reason.replace('\n', ' '));
            }
        }
        out.flush();
        System.setSecurityManager(null);
        System.exit(0);
    }

    private static String call(String tool, String[] args) throws Exception {
        try {
            Class.forName(tool).getMethod("main", String[].class).invoke(null, (Object) args);
        } catch (java.lang.reflect.InvocationTargetException thrown) {
            Throwable cause = thrown.getCause();
            if (!(cause instanceof Exit)) return cause.toString();
            int code = ((Exit) cause).code;
            return code == 0 ? null : "exit code " + code;
        }
        return null;
    }
}
