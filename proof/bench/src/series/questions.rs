//! The questions of the reading table: for both readers, over a block of Kubernetes series.

use std::collections::BTreeSet;

use manicule_testkit::LabelSets;
use serde::{Deserialize, Serialize};

/// Kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Ask {
    /// References of the series that match.
    Postings,
    /// Names of labels.
    LabelNames,
    /// Values of a label.
    LabelValues,
    /// Labels and chunks of all series.
    Iterate,
}

/// A row of the table, as a line of JSON that the peer reads too.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Question {
    /// Name in the tables.
    pub row: String,
    /// Kind of the question.
    pub ask: Ask,
    /// In PromQL; empty when nothing is selected.
    pub selector: String,
    /// Label whose values are asked for.
    pub label: String,
    /// Maximum ratio of our CPU time to the peer's.
    pub target: f64,
    /// Name of the target, in the table of targets.
    pub class: String,
}

const ITERATE: (&str, f64) = ("iterate all series", 1.0 / 25.0);
const UNION: (&str, f64) = ("union of all pods", 1.0 / 8.0);
const NAMES: (&str, f64) = ("label names with a matcher", 1.0 / 15.0);
const REGEX: (&str, f64) = ("rows with a regex", 0.5);
const OTHER: (&str, f64) = ("every other row", 1.0);

/// The rows, with values that these series have.
pub(super) fn questions(sets: &LabelSets) -> Vec<Question> {
    let [pods, namespaces] = ["pod", "namespace"].map(|name| values(sets, name));
    let pod = pods[pods.len() / 2];
    let namespace = namespaces[namespaces.len() / 2];
    let twenty: Vec<&str> = (0..20).map(|at| pods[at * pods.len() / 20]).collect();
    let twenty = twenty.join("|");
    let rss = "container_memory_rss";
    let bucket = "http_request_duration_seconds_bucket";
    let selected = [
        ("one hot name", format!("{bucket}{{}}"), OTHER),
        ("name + pod", format!("{rss}{{pod=\"{pod}\"}}"), OTHER),
        (
            "4 equalities (name, namespace, le, code)",
            format!("{bucket}{{namespace=\"{namespace}\",le=\"0.5\",code=\"200\"}}"),
            OTHER,
        ),
        ("job=\"kubelet\", container!=\"\"", "{job=\"kubelet\",container!=\"\"}".to_owned(), OTHER),
        (
            "name=~\"container_network_.*|container_memory_rss\", container=\"\"",
            "{__name__=~\"container_network_.*|container_memory_rss\",container=\"\"}".to_owned(),
            REGEX,
        ),
        ("name + pod=~\"api-.*\"", format!("{rss}{{pod=~\"api-.*\"}}"), REGEX),
        ("name + 20 literals", format!("{rss}{{pod=~\"{twenty}\"}}"), REGEX),
        ("name + pod=~\".*x7.*\"", format!("{rss}{{pod=~\".*x7.*\"}}"), REGEX),
        (
            "name + pod=~\".+-[bcd]{2}[a-z0-9]+-.*\"",
            format!("{rss}{{pod=~\".+-[bcd]{{2}}[a-z0-9]+-.*\"}}"),
            REGEX,
        ),
        ("name + namespace!=…", format!("{rss}{{namespace!=\"{}\"}}", namespaces[0]), OTHER),
        (
            "name + namespace!~\"team-.*|prod-.*\"",
            format!("{rss}{{namespace!~\"team-.*|prod-.*\"}}"),
            REGEX,
        ),
        (
            "job=\"node-exporter\", pod=~\".*\"",
            "{job=\"node-exporter\",pod=~\".*\"}".to_owned(),
            REGEX,
        ),
        ("pod=~\".+\"", "{pod=~\".+\"}".to_owned(), UNION),
        ("__name__=~\"container_.*\"", "{__name__=~\"container_.*\"}".to_owned(), REGEX),
        ("__name__!=\"\"", "{__name__!=\"\"}".to_owned(), OTHER),
        (
            "instance=~\"10\\\\.64\\\\..*:8080\"",
            "{instance=~\"10\\\\.64\\\\..*:8080\"}".to_owned(),
            REGEX,
        ),
        ("pod=~\"(?i)API-.*\"", "{pod=~\"(?i)API-.*\"}".to_owned(), REGEX),
    ];
    let kubelet = "{job=\"kubelet\"}";
    let listed = [
        ("label names", Ask::LabelNames, "", "", OTHER),
        ("values(pod)", Ask::LabelValues, "pod", "", OTHER),
        ("values(__name__)", Ask::LabelValues, "__name__", "", OTHER),
        ("values(pod, job=\"kubelet\")", Ask::LabelValues, "pod", kubelet, OTHER),
        ("names(job=\"kubelet\")", Ask::LabelNames, "", kubelet, NAMES),
        ("iterate all: labels + chunk metas", Ask::Iterate, "", "", ITERATE),
    ];
    let question = |row: &str, ask, label: &str, selector: &str, (class, target): (&str, f64)| {
        let [row, label, selector, class] = [row, label, selector, class].map(str::to_owned);
        Question { row, ask, selector, label, target, class }
    };
    let selected = selected
        .iter()
        .map(|(row, selector, goal)| question(row, Ask::Postings, "", selector, *goal));
    let listed =
        listed.iter().map(|&(row, ask, label, of, goal)| question(row, ask, label, of, goal));
    selected.chain(listed).collect()
}

/// The distinct values of a label, in byte order.
fn values<'a>(sets: &'a LabelSets, name: &str) -> Vec<&'a str> {
    let labels = sets.iter().flatten().filter(|(own, _)| *own == name);
    let values: BTreeSet<&str> = labels.map(|(_, value)| value).collect();
    values.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use manicule_testkit::Shape;

    use super::*;

    #[test]
    fn questions_are_lines_that_can_be_read_back() {
        let all = questions(&LabelSets::new(Shape::Kubernetes, 2000));
        assert_eq!(all.len(), 23);
        for question in &all {
            let line = serde_json::to_string(question).unwrap();
            let back: Question = serde_json::from_str(&line).unwrap();
            assert_eq!(
                (back.row, back.selector),
                (question.row.clone(), question.selector.clone())
            );
        }
    }
}
