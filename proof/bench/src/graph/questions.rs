//! Texts of the questions: those of the Berlin SPARQL Benchmark's shape, aggregates, joins.
//!
//! Callers: graph/reads

use manicule_graphs::shop_item;
use manicule_testkit::Rng;

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

#[cfg(test)]
mod tests {
    use super::*;

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
