//! Label sets of other shapes than a cluster's: where a method tuned on Kubernetes may do badly.

use super::Draft;
use crate::Rng;

const SEED: u64 = 7;

/// Sixteen hex digits that belong to `n` alone.
fn token(n: u64) -> String {
    format!("{:016x}", Rng::new(n).bits())
}

pub(super) fn huge_cardinality(draft: &mut Draft, count: usize) {
    for at in 0..count as u64 {
        let [request, session, user] = [3 * at, 3 * at + 1, 3 * at + 2].map(token);
        draft.add(
            &[],
            &[
                ("__name__", "requests"),
                ("request", &request),
                ("session", &session),
                ("user", &user),
            ],
        );
    }
}

pub(super) fn utf8(draft: &mut Draft, count: usize) {
    const CITIES: [&str; 8] =
        ["München", "Кишинёв", "東京", "Αθήνα", "القاهرة", "서울", "São Paulo", "🏝️ Malé"];
    const METRICS: [&str; 5] =
        ["température.mesurée", "давление", "湿度_パーセント", "vítr/rychlost", "noise 🔊"];
    let mut rng = Rng::new(SEED);
    for at in 0..count {
        let station = format!("станция-{:05}", at / 20);
        let quality = format!("качество={}", rng.below(50));
        draft.add(
            &[],
            &[
                ("__name__", METRICS[at % 5]),
                ("город", CITIES[at / 20 % 8]),
                ("качество", &quality),
                ("station.名前", &station),
                ("étage", ["rez-de-chaussée", "premier", "deuxième", "toît"][at / 5 % 4]),
            ],
        );
    }
}

pub(super) fn many_names(draft: &mut Draft, count: usize) {
    const NAME_COUNT: usize = 900;
    let mut rng = Rng::new(SEED);
    for at in 0..count {
        let metric = format!("metric_{}", at % 97);
        let number = at.to_string();
        let mut labels: Vec<(String, String)> = Vec::new();
        let first = rng.below(NAME_COUNT);
        for step in 0..9 {
            // Strides by which no name comes twice: 9 * 97 < 900.
            let name = (first + step * 97) % NAME_COUNT;
            labels.push((format!("label_{name:03}"), format!("value_{}", rng.below(40))));
        }
        let mut more: Vec<(&str, &str)> = vec![("__name__", &metric), ("number", &number)];
        more.extend(labels.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        draft.add(&[], &more);
    }
}

pub(super) fn dense(draft: &mut Draft, count: usize) {
    const VALUES: [&str; 9] =
        ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota"];
    const NAMES: [&str; 6] = ["cell", "disk", "node", "rack", "shelf", "zone"];
    let digits = NAMES.len() as u32;
    assert!(count <= VALUES.len().pow(digits), "there are no more combinations");
    for at in 0..count {
        let value = |digit: usize| VALUES[at / VALUES.len().pow(digit as u32) % VALUES.len()];
        let mut more = vec![("__name__", "state")];
        more.extend(NAMES.iter().enumerate().map(|(digit, &name)| (name, value(digit))));
        draft.add(&[], &more);
    }
}

pub(super) fn long_values(draft: &mut Draft, count: usize) {
    let mut rng = Rng::new(SEED);
    let shared: Vec<String> =
        (0..40).map(|at| format!("/{}", token(at)).repeat(50 + rng.below(200))).collect();
    for at in 0..count {
        let query = token(1000 + at as u64).repeat(32 + rng.below(128));
        draft.add(
            &[],
            &[
                ("__name__", "slow_queries"),
                ("path", rng.choose(&shared).as_str()),
                ("query", &query),
                ("state", ["done", "failed"][at % 2]),
            ],
        );
    }
}
