// Jena's RDFConnection against a server: java -cp 'lib/*' Connection.java http://HOST:PORT
// Graphs put, fetched, added to and dropped, queries of each form, an update. Ends with 1 where anything is not as it should be.

import org.apache.jena.atlas.web.HttpException;
import org.apache.jena.query.DatasetFactory;
import org.apache.jena.rdf.model.Model;
import org.apache.jena.rdf.model.ModelFactory;
import org.apache.jena.rdfconnection.RDFConnection;
import org.apache.jena.rdfconnection.RDFConnectionRemote;

public class Connection {
    static int wrong = 0;

    static void check(String what, Object want, Object got) {
        boolean same = want.equals(got);
        wrong += same ? 0 : 1;
        System.out.println((same ? "ok    " : "WRONG ") + "RDFConnection " + what + (same ? "" : ": " + got + " in place of " + want));
    }

    static Model one(String object) {
        Model model = ModelFactory.createDefaultModel();
        model.add(model.createResource("http://e.example/j"), model.createProperty("http://e.example/p"), object);
        return model;
    }

    public static void main(String[] words) {
        String graph = "http://e.example/jg";
        var builder = RDFConnectionRemote.newBuilder().destination(words[0]);
        try (RDFConnection server = builder.queryEndpoint("query").updateEndpoint("update").gspEndpoint("store").build()) {
            server.put(graph, one("j"));
            check("put, fetch", true, server.fetch(graph).isIsomorphicWith(one("j")));
            server.load(graph, one("k"));
            check("load", 2L, server.fetch(graph).size());
            server.put(graph, one("l"));
            check("put again", true, server.fetch(graph).isIsomorphicWith(one("l")));
            check("fetchDataset", true, server.fetchDataset().getNamedModel(graph).isIsomorphicWith(one("l")));
            server.delete(graph);
            int status = 0;
            try {
                server.fetch(graph);
            } catch (HttpException absent) {
                status = absent.getStatusCode();
            }
            check("fetch of what is absent", 404, status);
            server.update("INSERT DATA { <http://e.example/j> <http://e.example/q> 'jü' }");
            check("update, ask", true, server.queryAsk("ASK { ?s <http://e.example/q> 'jü' }"));
            int[] rows = {0};
            server.querySelect("SELECT * { ?s <http://e.example/q> ?o }", row -> rows[0] += 1);
            check("select", 1, rows[0]);
            check("construct", 1L, server.queryConstruct("CONSTRUCT WHERE { ?s <http://e.example/q> ?o }").size());
            check("describe", 1L, server.queryDescribe("DESCRIBE <http://e.example/j>").size());
            check("a query too long for a URL", true, server.queryAsk("ASK { FILTER('" + "x".repeat(3000) + "' != '') }"));
            var dataset = DatasetFactory.create();
            dataset.addNamedModel(graph, one("m"));
            server.loadDataset(dataset);
            check("loadDataset", true, server.fetch(graph).isIsomorphicWith(one("m")));
            server.delete(graph);
            server.update("DELETE WHERE { ?s <http://e.example/q> ?o }");
        }
        System.exit(wrong == 0 ? 0 : 1);
    }
}
