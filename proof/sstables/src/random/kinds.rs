//! Types of columns, as CQL names them.

use manicule_testkit::Rng;

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Plain(&'static str),
    List(Box<Kind>),
    Set(Box<Kind>),
    Map(Box<Kind>, Box<Kind>),
    Tuple(Vec<Kind>),
    /// A user type: its name, its fields.
    User(String, Vec<(String, Kind)>),
    /// Of floats, with a dimension.
    Vector(usize),
}

/// Types with an order, which keys may have.
const ORDERED: [&str; 19] = [
    "ascii",
    "bigint",
    "blob",
    "boolean",
    "date",
    "decimal",
    "double",
    "float",
    "inet",
    "int",
    "smallint",
    "text",
    "time",
    "timestamp",
    "timeuuid",
    "tinyint",
    "uuid",
    "varint",
    "text",
];

/// Depth of nested types.
const DEPTH_MAX: usize = 3;

impl Kind {
    /// A type of a column of the key.
    pub(super) fn of_key(rng: &mut Rng, users: &[Kind]) -> Kind {
        match rng.below(12) {
            0 if !users.is_empty() => rng.choose(users).clone(),
            1 => Kind::nested(rng, users, 2),
            _ => Kind::Plain(rng.pick(&ORDERED)),
        }
    }

    /// A type of any other column.
    pub(super) fn of_column(rng: &mut Rng, users: &[Kind], major: u32) -> Kind {
        match rng.below(12) {
            0 => Kind::Plain("duration"),
            1 if major >= 5 => Kind::Vector(1 + rng.below(5)),
            2..=4 => Kind::nested(rng, users, DEPTH_MAX),
            5 if !users.is_empty() => rng.choose(users).clone(),
            _ => Kind::Plain(rng.pick(&ORDERED)),
        }
    }

    /// A type of a field of a user type, or of an element.
    pub(super) fn inner(rng: &mut Rng, users: &[Kind], depth_max: usize) -> Kind {
        match rng.below(6) {
            0 if depth_max > 1 => Kind::nested(rng, users, depth_max - 1),
            1 if !users.is_empty() => rng.choose(users).clone(),
            _ => Kind::Plain(rng.pick(&ORDERED)),
        }
    }

    fn nested(rng: &mut Rng, users: &[Kind], depth_max: usize) -> Kind {
        let mut inner = || Kind::inner(rng, users, depth_max);
        let (first, second, third) = (inner(), inner(), inner());
        match rng.below(4) {
            0 => Kind::List(first.into()),
            1 => Kind::Set(first.into()),
            2 => Kind::Map(first.into(), second.into()),
            _ => Kind::Tuple(vec![first, second, third]),
        }
    }

    /// Whether each element is a cell of its own, unless it is frozen.
    pub(super) fn is_complex(&self) -> bool {
        matches!(self, Kind::List(_) | Kind::Set(_) | Kind::Map(..) | Kind::User(..))
    }

    /// Its name inside of another type, and in keys.
    pub(super) fn frozen(&self) -> String {
        match self {
            Kind::Plain(_) | Kind::Vector(_) => self.cql(),
            _ => format!("frozen<{}>", self.cql()),
        }
    }

    /// Its name.
    pub(super) fn cql(&self) -> String {
        match self {
            Kind::Plain(name) => (*name).to_owned(),
            Kind::List(item) => format!("list<{}>", item.frozen()),
            Kind::Set(item) => format!("set<{}>", item.frozen()),
            Kind::Map(key, value) => format!("map<{}, {}>", key.frozen(), value.frozen()),
            Kind::Tuple(fields) => {
                let fields: Vec<String> = fields.iter().map(Kind::frozen).collect();
                format!("tuple<{}>", fields.join(", "))
            }
            Kind::User(name, _) => name.clone(),
            Kind::Vector(dimension) => format!("vector<float, {dimension}>"),
        }
    }
}
