//! A thousand generated numbers beside the plainest arithmetic: digits by columns, as it is done on
//! paper, and doubles as the machine has them.

use std::cmp::Ordering;
use std::str::FromStr;

use manicule_core::watch::Watch;
use manicule_graph::sparql::Answer;
use manicule_graph::term::TermRef;
use manicule_graph::{Id, Quad, Snapshot, Store};
use manicule_graphs::{Evaluation, JoinOrder, ask};
use manicule_testkit::Rng;
use oxrdf::{Literal, Term};

use super::stores::OPTIONS;
use crate::common::on_disk;

const XSD: &str = "http://www.w3.org/2001/XMLSchema#";
const SEED: u64 = 7;
const COUNT: usize = 1000;
/// Numbers of an aggregate.
const GROUP_LEN: usize = 25;

/// An exact number: digits from the highest, of which the last `scale` are after the point. No
/// zeros at either end, no sign of zero.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Plain {
    is_negative: bool,
    digits: Vec<u8>,
    scale: usize,
}

impl Plain {
    fn new(is_negative: bool, mut digits: Vec<u8>, mut scale: usize) -> Plain {
        while scale > 0 && digits.last().is_none_or(|digit| *digit == 0) {
            digits.pop();
            scale -= 1;
        }
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        Plain { is_negative: is_negative && !digits.is_empty(), digits, scale }
    }

    /// All digits at one scale and of one length.
    fn aligned(&self, other: &Plain) -> (Vec<u8>, Vec<u8>, usize) {
        let scale = self.scale.max(other.scale);
        let wide = |one: &Plain| [&one.digits[..], &vec![0; scale - one.scale]].concat();
        let (one, other) = (wide(self), wide(other));
        let len = one.len().max(other.len());
        let long = |digits: Vec<u8>| [vec![0; len - digits.len()], digits].concat();
        (long(one), long(other), scale)
    }

    fn plus(&self, other: &Plain) -> Plain {
        let (one, two, scale) = self.aligned(other);
        if self.is_negative == other.is_negative {
            let mut carry = 0;
            let mut digits: Vec<u8> = Vec::new();
            for (a, b) in one.iter().zip(&two).rev() {
                digits.push((a + b + carry) % 10);
                carry = (a + b + carry) / 10;
            }
            digits.push(carry);
            digits.reverse();
            return Plain::new(self.is_negative, digits, scale);
        }
        let is_less = one < two;
        let (high, low) = if is_less { (two, one) } else { (one, two) };
        Plain::new(self.is_negative != is_less, difference(&high, &low), scale)
    }

    fn minus(&self, other: &Plain) -> Plain {
        self.plus(&Plain::new(!other.is_negative, other.digits.clone(), other.scale))
    }

    fn times(&self, other: &Plain) -> Plain {
        let mut cells = vec![0_u32; self.digits.len() + other.digits.len()];
        for (at, a) in self.digits.iter().enumerate() {
            for (by, b) in other.digits.iter().enumerate() {
                cells[at + by + 1] += u32::from(*a) * u32::from(*b);
            }
        }
        for at in (1..cells.len()).rev() {
            cells[at - 1] += cells[at] / 10;
            cells[at] %= 10;
        }
        let digits = cells.into_iter().map(|cell| cell as u8).collect();
        Plain::new(self.is_negative != other.is_negative, digits, self.scale + other.scale)
    }

    /// The quotient without what is after its first `scale` digits after the point; none by zero.
    fn over(&self, other: &Plain, scale: usize) -> Option<Plain> {
        let (one, two, _) = self.aligned(other);
        if other.digits.is_empty() {
            return None;
        }
        let (mut rest, mut digits) = (vec![0; two.len()], Vec::new());
        for digit in one.into_iter().chain(vec![0; scale]) {
            rest.push(digit);
            let high = rest.remove(0);
            let mut times = 0;
            let mut wide = [vec![high], rest].concat();
            let divisor = [&[0], &two[..]].concat();
            while wide >= divisor {
                wide = difference(&wide, &divisor);
                times += 1;
            }
            rest = wide[1..].to_vec();
            digits.push(times);
        }
        Some(Plain::new(self.is_negative != other.is_negative, digits, scale))
    }

    fn order(&self, other: &Plain) -> Ordering {
        let (one, two, _) = self.aligned(other);
        match (self.is_negative, other.is_negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => one.cmp(&two),
            (true, true) => two.cmp(&one),
        }
    }
}

impl FromStr for Plain {
    type Err = String;

    /// Of an exact number, or of a double as Rust writes it with an exponent.
    fn from_str(text: &str) -> Result<Plain, String> {
        let (is_negative, rest) = (text.starts_with('-'), text.trim_start_matches('-'));
        let (rest, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, part) = rest.split_once('.').unwrap_or((rest, ""));
        let mut digits: Vec<u8> =
            whole.bytes().chain(part.bytes()).map(|byte| byte - b'0').collect();
        let exponent: i32 = exponent.parse().map_err(|_| text.to_owned())?;
        let scale = part.len() as i32 - exponent;
        digits.extend(vec![0; usize::try_from(-scale).unwrap_or(0)]);
        Ok(Plain::new(is_negative, digits, usize::try_from(scale).unwrap_or(0)))
    }
}

/// The difference of digits that are as many, and not more.
fn difference(high: &[u8], low: &[u8]) -> Vec<u8> {
    let mut borrow = 0;
    let mut digits: Vec<u8> = Vec::new();
    for (a, b) in high.iter().zip(low).rev() {
        let under = b + borrow;
        borrow = u8::from(*a < under);
        digits.push(a + 10 * borrow - under);
    }
    digits.reverse();
    digits
}

/// A number as it is written, its datatype, and its value.
#[derive(Clone, Debug)]
struct Number {
    text: String,
    local: &'static str,
    value: Value,
}

#[derive(Clone, PartialEq, Debug)]
enum Value {
    Exact(Plain),
    Double(f64),
}

impl Number {
    fn new(text: String, local: &'static str) -> Number {
        let value = match local {
            "double" => Value::Double(text.parse().expect("a double")),
            "float" => Value::Double(f64::from(text.parse::<f32>().expect("a float"))),
            _ => Value::Exact(text.parse().expect("an exact number")),
        };
        Number { text, local, value }
    }

    fn random(rng: &mut Rng) -> Number {
        let mut digits =
            |len: usize| -> String { (0..len).map(|_| rng.below(10).to_string()).collect() };
        let long = digits(60);
        let sign = rng.pick(&["", "", "-"]);
        let (whole, part) = (
            rng.pick(&[1, 2, 5, 10, 17, 18, 19, 20, 30]),
            30 + rng.pick(&[1, 5, 12, 17, 18, 19, 24, 30]),
        );
        match rng.below(10) {
            0..3 => Number::new(format!("{sign}{}", &long[..whole]), "integer"),
            3..6 => Number::new(format!("{sign}{}.{}", &long[..whole], &long[30..part]), "decimal"),
            6..8 => Number::new(
                format!(
                    "{sign}{}.{}E{}",
                    &long[..1],
                    &long[30..part.min(46)],
                    rng.below(80) as i32 - 40
                ),
                "double",
            ),
            8 => Number::new(format!("{sign}{}.25E0", &long[..whole.min(18)]), "double"),
            _ => Number::new(
                format!("{sign}{}.{}E{}", &long[..1], &long[30..37], rng.below(40) as i32 - 20),
                "float",
            ),
        }
    }

    fn exact(&self) -> Option<&Plain> {
        match &self.value {
            Value::Exact(value) => Some(value),
            Value::Double(_) => None,
        }
    }

    /// The value as a double.
    fn double(&self) -> f64 {
        match &self.value {
            Value::Exact(_) => self.text.parse().expect("a double"),
            Value::Double(value) => *value,
        }
    }

    /// The value by which numbers of all kinds are compared with a double's shortest digits.
    fn plain(&self) -> Plain {
        match &self.value {
            Value::Exact(value) => value.clone(),
            Value::Double(value) => format!("{value:e}").parse().expect("finite"),
        }
    }
}

/// Two numbers for each subject, and the number of a group.
fn store(folder: &std::path::Path, numbers: &[[Number; 2]]) -> Store {
    let store = Store::create(folder, &on_disk()).expect("a store");
    let mut transaction = store.begin().expect("a transaction");
    for (at, both) in numbers.iter().enumerate() {
        let mut intern = |term: TermRef<'_>| transaction.intern(term).expect("an id");
        let subject = intern(TermRef::Iri(&format!("x:{at:04}")));
        let mut terms: Vec<(&str, Id)> = ["x:v", "x:w"]
            .into_iter()
            .zip(both)
            .map(|(name, number)| {
                (name, intern(TermRef::Typed(&number.text, &format!("{XSD}{}", number.local))))
            })
            .collect();
        terms.push(("x:g", intern(TermRef::Simple(&group_of(at, &both[0])))));
        for (name, object) in terms {
            let predicate = transaction.intern(TermRef::Iri(name)).expect("an id");
            transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
        }
    }
    transaction.commit().expect("a commit");
    store
}

/// Groups have exact numbers, or others.
fn group_of(at: usize, number: &Number) -> String {
    let kind = if number.exact().is_some() { "exact" } else { "double" };
    format!("{kind} {:02}", at / GROUP_LEN)
}

/// The rows of an answer: the text of the first column, and the literal of the second.
fn rows(view: &Snapshot, text: &str, evaluation: Evaluation) -> Vec<(String, Option<Literal>)> {
    let watch = Watch::none();
    let Ok(Answer::Rows(rows)) = ask(view, text, &OPTIONS, evaluation, &watch) else {
        panic!("{text}")
    };
    let row = |row: spareval::QuerySolution| {
        let literal = row.get(1).map(|term| match term {
            Term::Literal(literal) => literal.clone(),
            other => panic!("{other} of {text}"),
        });
        let first = match row.get(0).expect("a name") {
            Term::Literal(literal) => literal.value().to_owned(),
            other => other.to_string(),
        };
        (first, literal)
    };
    rows.map(|next| row(next.expect("a row"))).collect()
}

const EVALUATIONS: [Evaluation; 2] = [Evaluation::Columns, Evaluation::Rows(JoinOrder::ByCounts)];

fn numbers() -> Vec<[Number; 2]> {
    let mut rng = Rng::new(SEED);
    (0..COUNT).map(|_| [Number::random(&mut rng), Number::random(&mut rng)]).collect()
}

/// Asks for an expression of each pair; `is_right` judges what comes: none is an error of the query
/// language.
fn each(
    view: &Snapshot,
    numbers: &[[Number; 2]],
    expression: &str,
    is_right: impl Fn(&Number, &Number, Option<&Literal>) -> bool,
) {
    let text = format!("SELECT ?s ({expression} AS ?x) {{ ?s <x:v> ?a ; <x:w> ?b }} ORDER BY ?s");
    for evaluation in EVALUATIONS {
        let rows = rows(view, &text, evaluation);
        assert_eq!(rows.len(), numbers.len());
        for ([one, other], (_, got)) in numbers.iter().zip(rows) {
            assert!(
                is_right(one, other, got.as_ref()),
                "{expression} of {one:?} and {other:?}: {got:?}, {evaluation:?}"
            );
        }
    }
}

fn is_of(literal: &Literal, local: &str) -> bool {
    literal.datatype().as_str().strip_prefix(XSD) == Some(local)
}

/// Whether two doubles are the same but for what is rounded away twice where a decimal becomes a
/// double.
fn is_near(one: f64, other: f64, digits: i32) -> bool {
    one == other || (one - other).abs() <= other.abs() * 10_f64.powi(-digits)
}

/// Whether an exact number differs from another one by less than a quintillionth.
fn is_close(one: &Plain, other: &Plain) -> bool {
    let mut difference = one.minus(other);
    difference.is_negative = false;
    difference.order(&"0.000000000000000001".parse().expect("a number")).is_le()
}

/// An operator, of exact numbers and of doubles.
type Operator = (&'static str, fn(&Plain, &Plain) -> Option<Plain>, fn(f64, f64) -> f64);

#[test]
fn what_is_computed_is_the_twins() {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers = numbers();
    let view = store(folder.path(), &numbers).snapshot();
    let operators: [Operator; 4] = [
        ("+", |one, other| Some(one.plus(other)), |one, other| one + other),
        ("-", |one, other| Some(one.minus(other)), |one, other| one - other),
        ("*", |one, other| Some(one.times(other)), |one, other| one * other),
        ("/", |one, other| one.over(other, 40), |one, other| one / other),
    ];
    for (operator, exact, double) in operators {
        each(&view, &numbers, &format!("?a {operator} ?b"), |one, other, got| {
            let (Some(a), Some(b)) = (one.exact(), other.exact()) else {
                let Some(got) = got else { return false };
                let value: f64 = got.value().parse().expect("a double");
                let is_float = is_of(got, "float");
                let digits = if is_float { 6 } else { 15 };
                let (a, b) = (one.double(), other.double());
                // What a float doesn't hold is no test here.
                return is_near(value, double(a, b), digits)
                    || is_float && !(value as f32).is_normal();
            };
            match (exact(a, b), got) {
                (None, None) => true,
                (Some(want), Some(got)) => {
                    let is_whole = one.local == "integer" && other.local == "integer";
                    let local = if is_whole && operator != "/" { "integer" } else { "decimal" };
                    let got_value: Plain = got.value().parse().expect("a number");
                    is_of(got, local)
                        && if operator == "/" {
                            is_close(&got_value, &want)
                        } else {
                            got_value == want
                        }
                }
                _ => false,
            }
        });
    }
    for (operator, is) in [
        ("=", Ordering::is_eq as fn(Ordering) -> bool),
        ("<", Ordering::is_lt),
        (">=", Ordering::is_ge),
    ] {
        each(&view, &numbers, &format!("?a {operator} ?b"), |one, other, got| {
            let order = match (one.exact(), other.exact()) {
                (Some(a), Some(b)) => a.order(b),
                _ => one.double().total_cmp(&other.double()),
            };
            got.is_some_and(|got| got.value() == is(order).to_string())
        });
    }
}

#[test]
fn casts_are_the_twins() {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers = numbers();
    let view = store(folder.path(), &numbers).snapshot();
    let cast = |local: &str, of: &str, is_right: &dyn Fn(&Number, &str) -> bool| {
        each(&view, &numbers, &format!("<{XSD}{local}>({of})"), |one, _, got| {
            got.is_some_and(|got| is_of(got, local) && is_right(one, got.value()))
        });
    };
    let plain = |text: &str| -> Plain { text.parse().expect("a number") };
    for of in ["?a", "?a + 0", "IF(?a = ?a, ?a, 0)"] {
        cast("decimal", of, &|one, got| plain(got) == one.plain());
        cast("integer", of, &|one, got| {
            let whole = match &one.value {
                Value::Double(value) if value.abs() < 9e18 => plain(&(*value as i64).to_string()),
                _ => {
                    let value = one.plain();
                    let len = value.digits.len().saturating_sub(value.scale);
                    let len = if value.digits.len() < value.scale { 0 } else { len };
                    Plain::new(value.is_negative, value.digits[..len].to_vec(), 0)
                }
            };
            plain(got) == whole
        });
        cast("double", of, &|one, got| got.parse() == Ok(one.double()));
        cast("float", of, &|one, got| {
            let want: f32 = match &one.value {
                Value::Exact(_) => one.text.parse().expect("a float"),
                Value::Double(value) => *value as f32,
            };
            got.parse() == Ok(want)
        });
    }
}

#[test]
fn order_and_aggregates_are_the_twins() {
    let folder = tempfile::tempdir().expect("a folder");
    let numbers = numbers();
    let view = store(folder.path(), &numbers).snapshot();
    for evaluation in EVALUATIONS {
        let got = rows(&view, "SELECT ?s ?a { ?s <x:v> ?a } ORDER BY ?a ?s", evaluation);
        let text =
            |literal: &Option<Literal>| literal.as_ref().expect("a number").value().to_owned();
        let values: Vec<Plain> = got
            .iter()
            .map(|(_, literal)| {
                let literal = literal.as_ref().expect("a number");
                let local = literal.datatype().as_str().trim_start_matches(XSD).to_owned();
                let local = ["integer", "decimal", "double", "float"]
                    .into_iter()
                    .find(|own| **own == local);
                Number::new(literal.value().to_owned(), local.expect("a datatype")).plain()
            })
            .collect();
        assert!(values.is_sorted_by(|one, other| one.order(other).is_le()), "{evaluation:?}");
        let mut texts: Vec<String> = got.iter().map(|(_, literal)| text(literal)).collect();
        let mut want: Vec<String> = numbers.iter().map(|both| both[0].text.clone()).collect();
        texts.sort();
        want.sort();
        assert_eq!(texts, want);
        aggregates(&view, &numbers, evaluation);
    }
}

/// SUM, AVG, MIN and MAX of each group.
fn aggregates(view: &Snapshot, numbers: &[[Number; 2]], evaluation: Evaluation) {
    let mut groups = std::collections::BTreeMap::<String, Vec<&Number>>::new();
    for (at, both) in numbers.iter().enumerate() {
        groups.entry(group_of(at, &both[0])).or_default().push(&both[0]);
    }
    for of in ["SUM", "AVG", "MIN", "MAX"] {
        let text = format!(
            "SELECT ?g ({of}(?a) AS ?x) {{ ?s <x:v> ?a ; <x:g> ?g }} GROUP BY ?g ORDER BY ?g"
        );
        let got = rows(view, &text, evaluation);
        assert_eq!(got.len(), groups.len());
        for ((name, group), (_, got)) in groups.iter().zip(got) {
            let got = got.expect("a value").value().to_owned();
            assert!(
                is_aggregate(of, group, &got),
                "{of} of {name}: {got}, {evaluation:?}, {group:?}"
            );
        }
    }
}

fn is_aggregate(of: &str, group: &[&Number], got: &str) -> bool {
    let in_order = || {
        let mut group = group.to_vec();
        group.sort_by(|one, other| one.plain().order(&other.plain()));
        group
    };
    let count = group.len().to_string();
    let is_exact = group.iter().all(|number| number.exact().is_some());
    let sum = || {
        group.iter().fold("0".parse().expect("a number"), |sum: Plain, one| sum.plus(&one.plain()))
    };
    match of {
        "MIN" => got == in_order()[0].text,
        "MAX" => got == in_order()[group.len() - 1].text,
        "SUM" if is_exact => got.parse::<Plain>() == Ok(sum()),
        "AVG" if is_exact => {
            let mean = sum().over(&count.parse().expect("a number"), 40).expect("a mean");
            is_close(&got.parse().expect("a number"), &mean)
        }
        _ => {
            let by = if of == "AVG" { group.len() as f64 } else { 1.0 };
            let (sum, size) = group.iter().fold((0.0, 0.0), |(sum, size), number| {
                (sum + number.double(), size + number.double().abs())
            });
            let got: f64 = got.parse().expect("a double");
            // Doubles are added in any order, floats among themselves as floats.
            (got - sum / by).abs() <= size / by * 1e-6
        }
    }
}
