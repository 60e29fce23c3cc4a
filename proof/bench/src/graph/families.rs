//! One feature of SPARQL each, asked of the whole shop: joins of small and large predicates, and
//! the same pairs under OPTIONAL, MINUS and EXISTS; unions, groups, paths, strings, numbers, dates,
//! sizes of answers.
//!
//! The features are those of the 105 queries of Sparqloscope, a benchmark that is generated for any
//! data; predicates are chosen here by what is known of the shop. Its two queries for the sum of a
//! number are one here. Its sum of comparisons is an error in SPARQL, since a boolean is no number:
//! here it is a sum of IFs. Its SAMPLE may give any value: here it is asked what kind of value that
//! is. A sum of decimals is added.

/// Names and queries, without prefixes.
pub(super) fn families() -> Vec<(String, String)> {
    let mut all = Vec::new();
    joined(&mut all);
    for (name, text) in UNIONS.iter().chain(&COLUMNS).chain(&PATHS).chain(&COUNTS) {
        all.push(counted(name, text));
    }
    for (name, text) in GROUPS.iter().chain(&SIZES) {
        all.push(((*name).to_owned(), (*text).to_owned()));
    }
    for (name, filter) in FILTERED {
        all.push(counted(&format!("filter, {name}"), filter));
    }
    for (name, predicate, expression) in COMPUTED {
        let text = format!("SELECT (SUM({expression}) AS ?n) {{ ?s {predicate} ?o }}");
        all.push((format!("computed, {name}"), text));
    }
    all
}

fn counted(name: &str, pattern: &str) -> (String, String) {
    (name.to_owned(), format!("SELECT (COUNT(*) AS ?n) {{ {pattern} }}"))
}

/// Two patterns with a subject in common, by what is known of their sizes.
const PAIRS: [(&str, &str, &str); 6] = [
    ("few and many", "?s v:country ?x", "?s a ?y"),
    ("many and few", "?s a ?x", "?s v:country ?y"),
    ("many and many", "?s v:publisher ?x", "?s v:date ?y"),
    ("the most rows", "?s v:productFeature ?x", "?s a ?y"),
    ("few in common", "?s v:publisher ?x", "?s rdfs:label ?y"),
    ("few in common, the other way", "?s rdfs:label ?x", "?s v:publisher ?y"),
];

/// Three patterns, by their shape.
const TRIPLES: [(&str, [&str; 3]); 2] = [
    ("star", ["?s v:vendor ?x", "?s v:price ?y", "?s v:date ?z"]),
    ("chain", ["?s v:product ?x", "?x v:producer ?y", "?y v:country ?z"]),
];

const MANY: [(&str, &str); 2] = [
    ("star of many", "?s v:country ?a . ?s v:homepage ?b . ?s rdfs:label ?c . ?s a ?d"),
    (
        "chain of many",
        "?s v:product ?a . ?a a ?b . ?b rdfs:subClassOf ?c . ?c rdfs:subClassOf ?d . ?d rdfs:label ?e",
    ),
];

/// What is between what is asked for and the rest.
const CONNECTIVES: [(&str, &str); 4] =
    [("join", ""), ("optional", "OPTIONAL"), ("minus", "MINUS"), ("exists", "FILTER EXISTS")];

fn joined(all: &mut Vec<(String, String)>) {
    for (word, connective) in CONNECTIVES {
        for (name, first, second) in PAIRS {
            let pattern = match connective {
                "" => format!("{first} . {second}"),
                _ => format!("{first} . {connective} {{ {second} }}"),
            };
            all.push(counted(&format!("{word}, {name}"), &pattern));
        }
        for (name, [first, second, third]) in TRIPLES {
            if connective.is_empty() {
                let pattern = format!("{first} . {second} . {third}");
                all.push(counted(&format!("{word}, {name} of three"), &pattern));
                continue;
            }
            let pattern = format!("{first} . {second} . {connective} {{ {third} }}");
            all.push(counted(&format!("{word}, {name} of two and one"), &pattern));
            let pattern = format!("{first} . {connective} {{ {second} . {third} }}");
            all.push(counted(&format!("{word}, {name} of one and two"), &pattern));
        }
    }
    for (name, pattern) in MANY {
        all.push(counted(&format!("join, {name}"), pattern));
    }
}

const UNIONS: [(&str, &str); 5] = [
    ("union", "{ ?s a ?o } UNION { ?s v:publisher ?o }"),
    ("union, joined with a star's part", "{ ?s v:vendor ?x } UNION { ?s v:price ?x } ?s v:date ?y"),
    ("union, joined with few", "{ ?s a ?x } UNION { ?s rdfs:label ?x } ?s v:country ?y"),
    (
        "union, joined with the most rows",
        "{ ?s a ?x } UNION { ?s v:publisher ?x } ?s v:productFeature ?y",
    ),
    ("union, filtered", "{ ?s a ?o } UNION { ?s v:publisher ?o } FILTER(?s = ?o)"),
];

const COLUMNS: [(&str, &str); 2] = [
    ("join of two columns, few", "?s v:producer ?o . ?s v:publisher ?o"),
    ("join of two columns, many", "?s v:vendor ?o . ?s v:publisher ?o"),
];

const PATHS: [(&str, &str); 4] = [
    ("path, one or more", "?s rdfs:subClassOf+ ?o"),
    ("path, one or more, from one", "i:ProductType150 rdfs:subClassOf+ ?o"),
    ("path, many and one or more", "?s a/rdfs:subClassOf+ ?o"),
    ("path, few and one or more", "?s ^rdfs:subClassOf/rdfs:subClassOf+ ?o"),
];

const COUNTS: [(&str, &str); 4] = [
    ("literals", "?s ?p ?o FILTER(isLiteral(?o))"),
    ("blank nodes", "?s ?p ?o FILTER(isBlank(?s))"),
    ("subject is object", "?s a ?o FILTER(?s = ?o)"),
    ("subject is not object", "?s a ?o FILTER(?s != ?o)"),
];

const GROUPS: [(&str, &str); 19] = [
    ("triples", "SELECT (COUNT(?s) AS ?n) { ?s ?p ?o }"),
    ("subjects", "SELECT (COUNT(DISTINCT ?s) AS ?n) { ?s ?p ?o }"),
    ("predicates", "SELECT (COUNT(DISTINCT ?p) AS ?n) { ?s ?p ?o }"),
    ("objects", "SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o }"),
    ("distinct, few objects", "SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s a ?o }"),
    ("distinct, many objects", "SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s v:offerWebpage ?o }"),
    (
        "distinct, of a join",
        "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?s v:publisher ?x . ?s v:productFeature ?y }",
    ),
    (
        "group, few objects",
        "SELECT ?o (COUNT(?s) AS ?n) { ?s a ?o } GROUP BY ?o ORDER BY DESC(?n) ?o LIMIT 10",
    ),
    (
        "group, many objects",
        "SELECT ?o (COUNT(?s) AS ?n) { ?s v:offerWebpage ?o } GROUP BY ?o ORDER BY DESC(?n) ?o LIMIT 10",
    ),
    (
        "group, of a join",
        "SELECT ?x (COUNT(?s) AS ?n) { ?s v:publisher ?x . ?s v:productFeature ?y } GROUP BY ?x ORDER BY DESC(?n) ?x LIMIT 10",
    ),
    (
        "group, several aggregates",
        "SELECT ?x (COUNT(?s) AS ?n) (MIN(?s) AS ?lo) (MAX(?s) AS ?hi) (IF(isIRI(SAMPLE(?s)), 1, 0) AS ?one) \
         { ?s v:publisher ?x . ?s v:productFeature ?y } GROUP BY ?x ORDER BY DESC(?n) ?x LIMIT 10",
    ),
    ("numbers, COUNT", "SELECT (COUNT(?o) AS ?n) { ?s v:deliveryDays ?o }"),
    ("numbers, MIN", "SELECT (MIN(?o) AS ?n) { ?s v:deliveryDays ?o }"),
    ("numbers, MAX", "SELECT (MAX(?o) AS ?n) { ?s v:deliveryDays ?o }"),
    ("numbers, AVG", "SELECT (AVG(?o) AS ?n) { ?s v:deliveryDays ?o }"),
    ("strings, COUNT", "SELECT (COUNT(?o) AS ?n) { ?s rdfs:label ?o }"),
    ("strings, MIN", "SELECT (MIN(?o) AS ?n) { ?s rdfs:label ?o }"),
    ("strings, MAX", "SELECT (MAX(?o) AS ?n) { ?s rdfs:label ?o }"),
    (
        "strings, GROUP_CONCAT",
        "SELECT (SUM(STRLEN(?all)) AS ?n) { { SELECT ?s (GROUP_CONCAT(?o; SEPARATOR=\" \") AS ?all) { ?s rdfs:label ?o } GROUP BY ?s } }",
    ),
];

const SIZES: [(&str, &str); 5] = [
    ("10 rows", "SELECT ?s ?o { ?s a ?o } LIMIT 10"),
    ("1,000 rows", "SELECT ?s ?o { ?s a ?o } LIMIT 1000"),
    ("100,000 rows", "SELECT ?s ?o { ?s a ?o } LIMIT 100000"),
    ("1,000,000 rows", "SELECT ?s ?o { ?s a ?o } LIMIT 1000000"),
    ("all rows of a predicate", "SELECT ?s ?o { ?s a ?o }"),
];

const FILTERED: [(&str, &str); 10] = [
    ("contains", "?s v:title ?o FILTER(CONTAINS(?o, \"bab\"))"),
    ("regex without operators", "?s v:title ?o FILTER(REGEX(?o, \"bab\"))"),
    ("regex", "?s v:title ?o FILTER(REGEX(?o, \"b.b\"))"),
    ("regex, prefix of one", "?s v:title ?o FILTER(REGEX(?o, \"^b\"))"),
    ("regex, prefix of two", "?s v:title ?o FILTER(REGEX(?o, \"^ba\"))"),
    ("regex, prefix of three", "?s v:title ?o FILTER(REGEX(?o, \"^bab\"))"),
    ("half of the numbers", "?s v:deliveryDays ?o FILTER(?o >= 11)"),
    ("a third of the numbers", "?s v:deliveryDays ?o FILTER(?o >= 15)"),
    ("one number of twenty", "?s v:deliveryDays ?o FILTER(?o >= 21)"),
    ("language", "?s v:title ?o FILTER(LANG(?o) = \"en\")"),
];

const COMPUTED: [(&str, &str, &str); 16] = [
    ("length", "v:title", "STRLEN(?o)"),
    ("before", "v:title", "STRLEN(STRBEFORE(?o, \"a\"))"),
    ("after", "v:title", "STRLEN(STRAFTER(?o, \"a\"))"),
    ("starts", "v:title", "xsd:integer(STRSTARTS(?o, \"a\"))"),
    ("ends", "v:title", "xsd:integer(STRENDS(?o, \"a\"))"),
    ("sum", "v:deliveryDays", "?o"),
    ("absolute value", "v:deliveryDays", "ABS(?o)"),
    ("rounded up", "v:deliveryDays", "CEIL(?o)"),
    ("rounded down", "v:deliveryDays", "FLOOR(?o)"),
    ("rounded", "v:deliveryDays", "ROUND(?o)"),
    ("addition", "v:deliveryDays", "?o + ?o"),
    ("comparison", "v:deliveryDays", "IF(?o > 10, 1, 0)"),
    ("year", "v:date", "YEAR(xsd:dateTime(?o))"),
    ("month", "v:date", "MONTH(xsd:dateTime(?o))"),
    ("day", "v:date", "DAY(xsd:dateTime(?o))"),
    ("sum of decimals", "v:price", "?o"),
];
