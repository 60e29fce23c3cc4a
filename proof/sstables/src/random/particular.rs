//! Tables of a fixed shape: counters, and cells whose values CQL has no words for.

use manicule_testkit::Rng;

use super::schema::compression;

/// Keys and clusterings of one int each, in hexadecimal.
fn int(rng: &mut Rng, end: usize) -> String {
    format!("{:08x}", rng.below(end))
}

/// A time at which something is written: the same one now and then.
fn timestamp(rng: &mut Rng) -> i64 {
    1_600_000_000_000_000 + rng.below(1000) as i64
}

/// A table of counters.
pub(super) fn counters(rng: &mut Rng, name: &str) -> String {
    let compression = compression(rng, 3);
    format!(
        "CREATE TABLE ks.{name} (pk int, ck int, c0 counter, c1 counter, PRIMARY KEY (pk, ck)) WITH compression = {compression}"
    )
}

/// Counters of one to four shards.
pub(super) fn counts(rng: &mut Rng) -> Vec<String> {
    let count = 1 + rng.below(200);
    (0..count)
        .map(|_| {
            let (key, clustering, column) = (int(rng, 4), int(rng, 60), rng.pick(&["c0", "c1"]));
            let mut line = format!("counter {key} {clustering} {column} {}", timestamp(rng));
            for id in 0..1 + rng.below(4) {
                // Two values of one clock are no counter: Cassandra ends at them.
                let clock = 1 + rng.below(1000);
                let value = Rng::new((clock << 8 | id) as u64).bits() as i32;
                line += &format!(" {},{clock},{value}", id + 1);
            }
            line
        })
        .collect()
}

/// The value of a counter: one to four shards, which are global.
pub(super) fn shards(rng: &mut Rng) -> Vec<u8> {
    let count = 1 + rng.below(4) as u16;
    let mut value = count.to_be_bytes().to_vec();
    (0..count).for_each(|index| value.extend((index | 0x8000).to_be_bytes()));
    for id in 0..count {
        let (clock, total) = (1 + rng.below(1000) as i64, rng.bits() as i64);
        value.extend(u128::from(id + 1).to_be_bytes());
        value.extend(clock.to_be_bytes());
        value.extend(total.to_be_bytes());
    }
    value
}

/// Types that are written as they are given.
const RAW_KINDS: [&str; 11] = [
    "int",
    "bigint",
    "float",
    "double",
    "uuid",
    "timestamp",
    "inet",
    "varint",
    "decimal",
    "text",
    "blob",
];

/// A table of such types.
pub(super) fn raw_cells(rng: &mut Rng, name: &str) -> (String, Vec<&'static str>) {
    let kinds: Vec<&str> = (0..1 + rng.below(4)).map(|_| rng.pick(&RAW_KINDS)).collect();
    let columns: Vec<String> =
        (0..).zip(&kinds).map(|(number, kind)| format!("v{number} {kind}")).collect();
    let (columns, compression) = (columns.join(", "), compression(rng, 3));
    let schema = format!(
        "CREATE TABLE ks.{name} (pk int, ck int, {columns}, PRIMARY KEY (pk, ck)) WITH compression = {compression}"
    );
    (schema, kinds)
}

/// Values that are empty, and random ones of the right width.
pub(super) fn cells(rng: &mut Rng, kinds: &[&str]) -> Vec<String> {
    let count = 1 + rng.below(200);
    (0..count)
        .map(|_| {
            let column = rng.below(kinds.len());
            let width = match kinds[column] {
                _ if rng.one_in(3) => 0,
                "int" | "float" | "inet" => 4,
                "bigint" | "double" => 8,
                "timestamp" => 5,
                "uuid" => 16,
                "decimal" => 6,
                _ => 1 + rng.below(20),
            };
            let value = match kinds[column] {
                // Within the years that have four digits.
                "timestamp" if width > 0 => format!("{:016x}", rng.bits() % 250_000_000_000_000),
                // A scale of at most 255.
                "decimal" if width > 0 => {
                    format!("{:08x}{:04x}", rng.below(256), rng.below(65_536))
                }
                "text" => (0..width).map(|_| format!("{:02x}", 32 + rng.below(95))).collect(),
                "uuid" if width > 0 => {
                    format!(
                        "{:012x}4{:03x}8{:015x}",
                        rng.bits() >> 16,
                        rng.below(4096),
                        rng.bits() >> 4
                    )
                }
                _ => (0..width).map(|_| format!("{:02x}", rng.bits() as u8)).collect::<String>(),
            };
            let (key, clustering) = (int(rng, 4), int(rng, 60));
            format!("cell {key} {clustering} v{column} {} {value}", timestamp(rng))
        })
        .collect()
}
