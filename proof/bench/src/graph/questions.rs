//! Texts of the questions: those of the Berlin SPARQL Benchmark's shape, aggregates, joins.

use manicule_graphs::{Archive, shop_item};
use manicule_testkit::Rng;

use super::families::families;

const PREFIXES: &str = "PREFIX v: <http://bsbm.example.org/v/> PREFIX i: <http://bsbm.example.org/i/> \
    PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ";

/// A row: questions of one kind.
pub(super) struct Row {
    pub(super) name: &'static str,
    /// `sparql` or `api`.
    how: &'static str,
    /// Number of questions that only warm up, and of those that are measured.
    counts: [usize; 2],
    text: fn(&mut Rng, u32) -> String,
    /// Our time as a share of Oxigraph's that has to be reached, and the one that is wanted.
    pub(super) share: [f64; 2],
}

fn product(rng: &mut Rng, products: u32) -> String {
    shop_item("Product", rng.below(products as usize) as u32)
}

const fn row(
    name: &'static str,
    counts: [usize; 2],
    share: [f64; 2],
    text: fn(&mut Rng, u32) -> String,
) -> Row {
    Row { name, how: "sparql", counts, text, share }
}

/// The selective ones.
pub(super) const SELECTIVE: [Row; 7] = [
    Row { name: "point, API", how: "api", counts: [2000, 2000], text: product, share: [0.1, 0.05] },
    row("point, SPARQL", [2000, 2000], [0.25, 0.2], |rng, products| {
        format!("SELECT ?p ?o WHERE {{ <{}> ?p ?o }}", product(rng, products))
    }),
    row("Q1 type and feature", [20, 100], [1.0, 0.33], |rng, _| {
        let kind = rng.below(151);
        let feature = (31 * kind + rng.below(40)) % 5000;
        format!(
            "SELECT DISTINCT ?p ?l {{ ?p rdfs:label ?l ; a i:ProductType{kind} ; v:productFeature i:ProductFeature{feature} ; \
             v:productPropertyNumeric1 ?x FILTER(?x > 500) }} ORDER BY ?l LIMIT 10"
        )
    }),
    row("Q2 details", [20, 300], [1.0, 0.33], |rng, products| {
        let p = product(rng, products);
        format!(
            "SELECT ?label ?producer ?feature ?t1 ?n1 ?t2 {{ <{p}> rdfs:label ?label ; v:producer ?pr ; v:publisher ?pr ; \
             v:productFeature ?f ; v:productPropertyTextual1 ?t1 ; v:productPropertyNumeric1 ?n1 . ?pr rdfs:label ?producer . \
             ?f rdfs:label ?feature . OPTIONAL {{ <{p}> v:productPropertyTextual2 ?t2 }} }}"
        )
    }),
    row("Q5 similar", [5, 60], [1.0, 0.33], |rng, products| {
        let p = product(rng, products);
        format!(
            "SELECT DISTINCT ?q ?l {{ ?q rdfs:label ?l FILTER(<{p}> != ?q) <{p}> v:productFeature ?f . ?q v:productFeature ?f . \
             <{p}> v:productPropertyNumeric1 ?o1 . ?q v:productPropertyNumeric1 ?s1 FILTER(?s1 < ?o1 + 120 && ?s1 > ?o1 - 120) \
             <{p}> v:productPropertyNumeric2 ?o2 . ?q v:productPropertyNumeric2 ?s2 FILTER(?s2 < ?o2 + 170 && ?s2 > ?o2 - 170) }} \
             ORDER BY ?l LIMIT 5"
        )
    }),
    row("Q7 offers and reviews", [20, 300], [1.0, 0.33], |rng, products| {
        let p = product(rng, products);
        format!(
            "SELECT ?l ?offer ?price ?vt ?rev ?title ?r1 {{ <{p}> rdfs:label ?l . OPTIONAL {{ ?offer v:product <{p}> ; v:price ?price ; \
             v:vendor ?ven . ?ven rdfs:label ?vt ; v:country i:country/DE }} OPTIONAL {{ ?rev v:reviewFor <{p}> ; v:reviewer ?who ; \
             v:title ?title . OPTIONAL {{ ?rev v:rating1 ?r1 }} }} }}"
        )
        .replace("i:country/DE", "<http://bsbm.example.org/i/country/DE>")
    }),
    row("Q10 cheap offers", [20, 300], [1.0, 0.33], |rng, products| {
        let p = product(rng, products);
        format!(
            "SELECT DISTINCT ?offer ?price {{ ?offer v:product <{p}> ; v:vendor ?ven ; v:deliveryDays ?d ; v:price ?price . \
             ?ven v:country <http://bsbm.example.org/i/country/US> FILTER(?d <= 10) }} ORDER BY xsd:double(str(?price)) LIMIT 10"
        )
    }),
];

/// Those that read much of the store; each is one text.
pub(super) const WHOLE: [Row; 7] = [
    row("AG1 price by country", [1, 5], [1.0, 0.02], |_, _| {
        "SELECT ?c (AVG(?price) AS ?a) (COUNT(*) AS ?n) { ?o v:vendor ?ven ; v:price ?price . ?ven v:country ?c } GROUP BY ?c".to_owned()
    }),
    row("AG2 reviews by type", [1, 5], [1.0, 0.02], |_, _| {
        "SELECT ?t (COUNT(?rev) AS ?n) (AVG(?r1) AS ?a) { ?p a ?t . ?t a v:ProductType . ?rev v:reviewFor ?p ; v:rating1 ?r1 } \
         GROUP BY ?t ORDER BY DESC(?n) ?t LIMIT 10"
            .to_owned()
    }),
    row("AG3 count by predicate", [1, 5], [1.0, 0.02], |_, _| {
        "SELECT ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?p".to_owned()
    }),
    row("q10 regex on labels", [1, 5], [1.0, 0.33], |_, _| {
        "SELECT ?p ?l { ?p a v:Product ; rdfs:label ?l FILTER(REGEX(?l, \"^[b-d].*(A|i)$\", \"i\") && !REGEX(?l, \"[fkp]\")) }".to_owned()
    }),
    row("q17 sums by vendor", [1, 5], [1.0, 0.33], |_, _| {
        "SELECT ?ven (COUNT(?o) AS ?n) (MIN(?price) AS ?lo) (MAX(?price) AS ?hi) (SUM(?d) AS ?days) { ?o v:vendor ?ven ; v:price ?price ; \
         v:deliveryDays ?d } GROUP BY ?ven HAVING(COUNT(?o) > 95)"
            .to_owned()
    }),
    row("q32 cyclic join", [1, 3], [1.0, 0.33], |_, _| {
        "SELECT ?o ?rev ?c { ?o v:product ?p ; v:vendor ?ven . ?ven v:country ?c . ?rev v:reviewFor ?p ; v:reviewer ?who . \
         ?who v:country ?c . ?p v:producer ?pr . ?pr v:country ?c }"
            .to_owned()
    }),
    row("q25 EXISTS, NOT EXISTS", [1, 3], [1.0, 0.33], |_, _| {
        "SELECT ?p { ?p a v:Product FILTER EXISTS { ?o v:product ?p ; v:price ?x FILTER(?x < 200) } \
         FILTER NOT EXISTS { ?r v:reviewFor ?p ; v:rating1 ?y FILTER(?y < 4) } }"
            .to_owned()
    }),
];

/// The questions of a row as lines of a file.
pub(super) fn lines(row: &Row, products: u32) -> String {
    // The same questions in each run.
    let mut rng = Rng::new(20_261_123);
    let mut out = String::new();
    for (turn, count) in ["warm", "timed"].into_iter().zip(row.counts) {
        for _ in 0..count {
            let text = (row.text)(&mut rng, products);
            let text = if row.how == "sparql" { format!("{PREFIXES}{text}") } else { text };
            out += &format!("{}\t{}\t{turn}\t{text}\n", row.name, row.how);
        }
    }
    out
}

/// What a time is to be, as a share of another, and what is wanted.
#[derive(Clone, Copy)]
pub(super) enum Aim {
    Oxigraph(f64, f64),
    /// The best of maplib, sparq and Virtuoso.
    ColumnStores(f64, f64),
    /// The best of them and Oxigraph.
    Best(f64, f64),
}

/// A row of the questions over the whole graph.
pub(super) struct Question {
    pub(super) name: String,
    pub(super) aims: &'static [Aim],
    /// Whether it asks one query again and again.
    pub(super) is_one: bool,
    /// The queries, and how many of them only warm up.
    texts: Vec<String>,
    warm: usize,
}

impl Question {
    /// The queries.
    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The question as lines of a file.
    pub(super) fn lines(&self) -> String {
        let line = |(at, text): (usize, &String)| {
            let turn = if at < self.warm { "warm" } else { "timed" };
            format!("{}\tsparql\t{turn}\t{text}\n", self.name)
        };
        self.texts.iter().enumerate().map(line).collect()
    }
}

const AGGREGATE: &[Aim] = &[Aim::Oxigraph(0.02, 0.01), Aim::ColumnStores(0.2, 0.1)];
const JOINED: &[Aim] = &[Aim::Best(0.5, 0.2)];
const LISTED: &[Aim] = &[Aim::Oxigraph(0.33, 0.2), Aim::Best(1.1, 1.0)];
const OTHER: &[Aim] = &[Aim::Best(1.1, 1.0)];

/// Number of queries of a selective row that only warm up, and of those that are measured.
const SELECTIVE_COUNTS: [usize; 2] = [5, 40];
/// The same of the others, which are one query each.
const WHOLE_COUNTS: [usize; 2] = [1, 5];

/// All questions that are asked of the whole graph: the selective ones in smaller numbers, those
/// that read much of it, and the golden queries over the shop's default graph.
pub(super) fn wide(products: u32) -> Vec<Question> {
    let mut rng = Rng::new(20_261_124);
    let mut all = Vec::new();
    for row in SELECTIVE.iter().filter(|row| row.how == "sparql") {
        let [warm, timed] = SELECTIVE_COUNTS;
        let text = |_| format!("{PREFIXES}{}", (row.text)(&mut rng, products));
        let texts = (0..warm + timed).map(text).collect();
        let aims = if row.name.starts_with("point") { OTHER } else { LISTED };
        all.push(Question { name: row.name.to_owned(), aims, is_one: false, texts, warm });
    }
    let [warm, timed] = WHOLE_COUNTS;
    for row in &WHOLE {
        let text = format!("{PREFIXES}{}", (row.text)(&mut rng, products));
        let aims = match row.name.split(' ').next() {
            Some("AG1" | "AG2" | "AG3") => AGGREGATE,
            Some("q25" | "q32") => JOINED,
            _ => OTHER,
        };
        let texts = vec![text; warm + timed];
        all.push(Question { name: row.name.to_owned(), aims, is_one: true, texts, warm });
    }
    let archive = Archive::golden(&["answers"]);
    for path in archive.paths().filter(|path| path.starts_with("queries/")) {
        let name = path.trim_start_matches("queries/").trim_end_matches(".rq");
        let text = archive.text(path);
        let lines = || text.lines().filter(|line| !line.starts_with('#'));
        let is_asked =
            WHOLE.iter().any(|row| name.starts_with(row.name.split(' ').next().unwrap_or(name)));
        let is_select = lines().any(|line| line.starts_with("SELECT"));
        if is_asked || AGGREGATES_THERE.contains(&name) || !is_select || text.contains("shop200.nq")
        {
            continue;
        }
        let text = lines().collect::<Vec<_>>().join(" ");
        let texts = vec![text; warm + timed];
        all.push(Question { name: name.to_owned(), aims: OTHER, is_one: true, texts, warm });
    }
    all
}

/// Questions of one feature each.
pub(super) fn of_families() -> Vec<Question> {
    let [warm, timed] = WHOLE_COUNTS;
    let question = |(name, text): (String, String)| Question {
        name,
        aims: OTHER,
        is_one: true,
        texts: vec![format!("{PREFIXES}{text}"); warm + timed],
        warm,
    };
    families().into_iter().map(question).collect()
}

/// Golden queries that are among the others under another name.
const AGGREGATES_THERE: [&str; 3] = ["q14-ag1", "q15-ag2", "q16-ag3"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_over_the_whole_graph_are_sparql_and_have_names_of_their_own() {
        let all: Vec<Question> = wide(200).into_iter().chain(of_families()).collect();
        for question in &all {
            assert!(!question.aims.is_empty());
            assert_eq!(all.iter().filter(|other| other.name == question.name).count(), 1);
            for line in question.lines().lines() {
                let fields: Vec<&str> = line.split('\t').collect();
                assert_eq!(fields.len(), 4, "{line}");
                manicule_graph::sparql::check_query(fields[3], None).expect(line);
            }
        }
        let names: Vec<&str> = all.iter().map(|question| question.name.as_str()).collect();
        for number in 42..=61 {
            let is_it = |name: &&&str| name.starts_with(&format!("q{number}-"));
            assert_eq!(names.iter().filter(is_it).count(), 1, "q{number}");
        }
        assert!(names.contains(&"AG3 count by predicate"));
        assert!(names.len() > 150, "{} {names:?}", names.len());
    }

    #[test]
    fn questions_are_sparql() {
        for row in SELECTIVE.iter().chain(&WHOLE) {
            for line in lines(row, 200).lines() {
                let fields: Vec<&str> = line.split('\t').collect();
                assert_eq!(fields.len(), 4, "{line}");
                if fields[1] == "sparql" {
                    manicule_graph::sparql::check_query(fields[3], None).expect(line);
                }
            }
        }
    }
}
