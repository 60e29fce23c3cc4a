//! The label store against the plainest model: random operations through several freezes and
//! shrinks.

use std::collections::{BTreeMap, BTreeSet};

use manicule_labels::{
    Frozen, Label, LabelStore, Refused, SeriesId, Snapshot, StaleSnapshot, State, View,
};
use manicule_testkit::Rng;

type Labels = Vec<(Vec<u8>, Vec<u8>)>;

fn borrowed(labels: &Labels) -> Vec<Label<'_>> {
    labels.iter().map(|(name, value)| (name.as_slice(), value.as_slice())).collect()
}

fn owned<'a>(labels: impl Iterator<Item = Label<'a>>) -> Labels {
    labels.map(|(name, value)| (name.to_vec(), value.to_vec())).collect()
}

/// A few names with a few values, some of them empty: sets meet again.
fn random_labels(rng: &mut Rng) -> Labels {
    let mut labels: Labels = Vec::new();
    for name in ["__name__", "a", "ab", "job", "pod", "\u{e4}"] {
        if rng.one_in(2) {
            let value = match rng.below(12) {
                0 => String::new(),
                1..4 => format!("value-{}", rng.below(3)),
                _ => format!("{}", rng.below(6)),
            };
            labels.push((name.as_bytes().to_vec(), value.into_bytes()));
        }
    }
    labels
}

/// What a store has to do, said plainly.
#[derive(Clone, Default)]
struct Model {
    /// Of each id given: its labels, until it is dropped.
    all: Vec<Option<Labels>>,
    found: BTreeMap<Labels, u32>,
    alive: BTreeSet<u32>,
}

impl Model {
    fn find_or_insert(&mut self, labels: &Labels) -> u32 {
        let next = self.all.len() as u32;
        let id = *self.found.entry(labels.clone()).or_insert(next);
        if id == next {
            self.all.push(Some(labels.clone()));
        }
        self.alive.insert(id);
        id
    }

    fn freeze(&mut self, boundary: u32) {
        let alive = &self.alive;
        self.found.retain(|_, id| *id >= boundary || alive.contains(id));
    }

    fn finish(&mut self, end: usize) {
        let found: BTreeSet<u32> = self.found.values().copied().collect();
        for (id, labels) in self.all[..end].iter_mut().enumerate() {
            if !found.contains(&(id as u32)) {
                *labels = None;
            }
        }
    }

    fn with(&self, is_wanted: impl Fn(&Labels) -> bool) -> Vec<SeriesId> {
        let found = self.found.iter().filter(|(labels, _)| is_wanted(labels));
        let mut ids: Vec<SeriesId> = found.map(|(_, id)| SeriesId(*id)).collect();
        ids.sort_unstable();
        ids
    }

    fn names(&self) -> BTreeSet<Vec<u8>> {
        self.found.keys().flatten().map(|label| label.0.clone()).collect()
    }

    fn values(&self, name: &[u8], prefix: &[u8]) -> BTreeSet<Vec<u8>> {
        let labels = self.found.keys().flatten();
        let wanted = labels.filter(|label| label.0 == name && label.1.starts_with(prefix));
        wanted.map(|label| label.1.clone()).collect()
    }
}

/// Every answer of the store is the model's.
fn compare(store: &mut LabelStore, model: &Model, seed: u64) {
    assert_eq!(store.len() as usize, model.found.len(), "seed {seed}");
    assert_eq!(store.next_id().0 as usize, model.all.len(), "seed {seed}");
    for (id, labels) in model.all.iter().enumerate() {
        let id = SeriesId(id as u32);
        let wanted = labels.clone().unwrap_or_default();
        assert_eq!(owned(store.labels(id)), wanted, "seed {seed}: {id:?}");
        assert_eq!(store.is_alive(id), model.alive.contains(&id.0), "seed {seed}: {id:?}");
    }
    for (labels, id) in &model.found {
        assert_eq!(store.find(&borrowed(labels)), Some(SeriesId(*id)), "seed {seed}: {labels:?}");
    }
    compare_view(store, model, seed);
}

fn compare_view(store: &mut LabelStore, model: &Model, seed: u64) {
    let view = store.view();
    let sorted: Vec<SeriesId> = model.found.values().map(|id| SeriesId(*id)).collect();
    assert!(view.sorted().eq(sorted.iter().copied()), "seed {seed}: order");
    let names = model.names();
    assert!(view.names().eq(names.iter().map(Vec::as_slice)), "seed {seed}: names");
    for name in names.iter().map(Vec::as_slice).chain([&b"absent"[..], b""]) {
        let has = |labels: &Labels| labels.iter().any(|label| label.0 == name);
        assert_eq!(view.with_name(name), model.with(has), "seed {seed}: {name:?}");
        for prefix in [&b""[..], b"v", b"value-1", b"1", b"x"] {
            compare_values(view, model, (name, prefix), seed);
        }
        for value in model.values(name, b"") {
            let label = (name.to_vec(), value.clone());
            let ids = model.with(|labels| labels.contains(&label));
            assert!(view.with_value(name, &value).eq(ids), "seed {seed}: {label:?}");
        }
    }
    // Few ids are sorted by their labels, many by their places.
    for count in [1, 3, sorted.len()] {
        let mut ids: Vec<SeriesId> = sorted.iter().rev().take(count).copied().collect();
        view.sort(&mut ids);
        assert_eq!(ids, sorted[sorted.len() - ids.len()..], "seed {seed}");
    }
    for &id in &sorted {
        let labels = view.pairs(id).map(|pair| view.pair(pair));
        assert!(labels.eq(view.labels(id)), "seed {seed}: {id:?}");
        assert!(view.pairs(id).is_sorted_by(|left, right| left < right), "seed {seed}: {id:?}");
    }
}

fn compare_values(view: View<'_>, model: &Model, (name, prefix): (&[u8], &[u8]), seed: u64) {
    let values = model.values(name, prefix);
    let got: Vec<&[u8]> = view.values(name, prefix).collect();
    assert!(got.iter().copied().eq(values.iter().map(Vec::as_slice)), "seed {seed}: {name:?}");
    let odd = |value: &[u8]| value.last().is_some_and(|byte| byte % 2 == 1);
    let ids = model.with(|labels| {
        let mut labels = labels.iter();
        labels.any(|label| label.0 == name && label.1.starts_with(prefix) && odd(&label.1))
    });
    assert_eq!(view.with_values(name, prefix, odd), ids, "seed {seed}: {name:?}");
}

/// A life of a store, and of what it is compared with.
struct Life {
    rng: Rng,
    seed: u64,
    store: LabelStore,
    model: Model,
    /// What is to be copied, and how many ids there were then.
    frozen: Option<(Frozen, usize)>,
    stale: Vec<Snapshot>,
    readers: Vec<(LabelStore, Model)>,
    shrinks: usize,
}

impl Life {
    fn new(seed: u64) -> Self {
        Life {
            rng: Rng::new(seed),
            seed,
            store: LabelStore::new(),
            model: Model::default(),
            frozen: None,
            stale: Vec::new(),
            readers: Vec::new(),
            shrinks: 0,
        }
    }

    fn step(&mut self) {
        match self.rng.below(100) {
            0..70 => self.insert(),
            70..85 => self.touch(),
            85..89 => self.freeze(),
            89..92 => self.finish(),
            92..94 => {
                self.store.begin_generation();
                self.model.alive.clear();
            }
            94..96 => self.readers.push((self.store.clone(), self.model.clone())),
            96..98 => self.reload(),
            _ => compare_view(&mut self.store, &self.model, self.seed),
        }
    }

    fn insert(&mut self) {
        let labels = random_labels(&mut self.rng);
        let given = borrowed(&labels);
        let kept: Labels = labels.iter().filter(|label| !label.1.is_empty()).cloned().collect();
        if kept.is_empty() {
            assert_eq!(self.store.find_or_insert(&given), Err(Refused::NoLabels));
            return;
        }
        if self.rng.one_in(3) {
            let id = self.model.found.get(&kept).map(|id| SeriesId(*id));
            assert_eq!(self.store.find(&given), id, "seed {}: {kept:?}", self.seed);
        }
        let id = SeriesId(self.model.find_or_insert(&kept));
        assert_eq!(self.store.find_or_insert(&given), Ok(id), "seed {}: {kept:?}", self.seed);
    }

    fn touch(&mut self) {
        let id = self.rng.below(self.model.all.len() + 2) as u32;
        let is_there = self.model.found.values().any(|found| *found == id);
        assert_eq!(self.store.touch(SeriesId(id)), is_there, "seed {}: {id}", self.seed);
        if is_there {
            self.model.alive.insert(id);
        }
    }

    fn freeze(&mut self) {
        let boundary = self.rng.below(self.model.all.len() + 1) as u32;
        let next = self.store.next_id();
        assert!(self.store.freeze(SeriesId(next.0 + 1)).is_err(), "beyond all ids");
        let frozen = self.store.freeze(SeriesId(boundary)).expect("a boundary of the store");
        let (len_before, found_before) = (self.model.all.len(), self.model.found.len());
        self.model.freeze(boundary);
        assert_eq!(self.store.state(), State::Fixed);
        let earlier = self.frozen.replace((frozen, len_before));
        // A freeze that changes nothing leaves earlier copies good.
        let has_changed = |end: usize| end != len_before || found_before != self.model.found.len();
        if let Some((earlier, _)) = earlier.filter(|(_, end)| has_changed(*end)) {
            self.stale.push(earlier.copy());
        }
    }

    /// Goes on with what a file of the store says.
    fn reload(&mut self) {
        let mut file = Vec::new();
        self.store.save(&mut file);
        self.store =
            LabelStore::load(&file).unwrap_or_else(|error| panic!("seed {}: {error}", self.seed));
        let mut again = Vec::new();
        self.store.save(&mut again);
        assert!(file == again, "seed {}", self.seed);
        let end = self.frozen.take().map(|(_, end)| end);
        self.frozen = self.store.frozen().zip(end);
    }

    fn finish(&mut self) {
        let Some((frozen, end)) = self.frozen.take() else { return };
        for copy in self.stale.drain(..) {
            assert_eq!(self.store.finish(copy), Err(StaleSnapshot), "seed {}", self.seed);
        }
        let snapshot = frozen.copy();
        self.store.finish(snapshot).unwrap_or_else(|error| panic!("seed {}: {error}", self.seed));
        self.model.finish(end);
        assert_eq!(self.store.state(), State::Shrunk);
        assert_eq!(self.store.finish(frozen.copy()), Err(StaleSnapshot), "it is finished");
        self.shrinks += 1;
    }
}

#[test]
fn every_answer_is_the_plain_one_through_freezes_and_shrinks() {
    let mut shrinks = 0;
    for seed in 0..60 {
        let mut life = Life::new(seed);
        for _ in 0..400 {
            life.step();
        }
        compare(&mut life.store, &life.model, seed);
        life.readers.iter_mut().for_each(|(store, model)| compare(store, model, seed));
        shrinks += life.shrinks;
    }
    assert!(shrinks > 120, "only {shrinks} shrinks");
}

#[test]
fn what_is_no_label_set_is_refused() {
    let mut store = LabelStore::new();
    let rows: [(&[(&str, &str)], _); 10] = [
        (&[("a", "1"), ("b", "2")], Ok(SeriesId(0))),
        (&[("b", "2"), ("a", "1")], Err(Refused::NamesFall { place: 1 })),
        (&[("a", "9"), ("b", "9"), ("ab", "9")], Err(Refused::NamesFall { place: 2 })),
        (&[("a", "9"), ("c", "9"), ("b", "9")], Err(Refused::NamesFall { place: 2 })),
        (&[("a", "1"), ("b", "2"), ("b", "2")], Err(Refused::TwiceNamed { place: 2 })),
        (&[("", "1")], Err(Refused::EmptyName)),
        (&[("a", ""), ("", "")], Err(Refused::NoLabels)),
        (&[("a", "1"), ("ab", ""), ("b", "2")], Ok(SeriesId(0))),
        (&[("a", "1")], Ok(SeriesId(1))),
        (&[], Err(Refused::NoLabels)),
    ];
    store.find_or_insert(&[(b"a", b"1"), (b"b", b"2")]).unwrap();
    store.find_or_insert(&[(b"a", b"1")]).unwrap();
    // Each row after each other: what the store remembers of the set before must not matter.
    for row in rows.iter().flat_map(|first| rows.iter().flat_map(move |second| [first, second])) {
        let labels: Vec<Label<'_>> =
            row.0.iter().map(|label| (label.0.as_bytes(), label.1.as_bytes())).collect();
        assert_eq!(store.find_or_insert(&labels), row.1, "{labels:?}");
    }
    assert_eq!(store.len(), 2);
    let view = store.view();
    assert!(view.names().eq([b"a", b"b"]), "what is refused leaves no name");
    assert!(view.values(b"a", b"").eq([b"1"]) && view.values(b"b", b"").eq([b"2"]), "and no value");
}

/// A hundred thousand labels of which the last one differs: no call for every few of them, on a
/// stack that ends.
#[test]
fn series_of_many_labels_are_sorted() {
    let mut store = LabelStore::new();
    let names: Vec<String> = (0..100_000).map(|number| format!("n{number:06}")).collect();
    for last in ["2", "10", "1"] {
        let value = |name: &String| if *name == names[names.len() - 1] { last } else { "x" };
        let labels: Vec<Label<'_>> =
            names.iter().map(|name| (name.as_bytes(), value(name).as_bytes())).collect();
        store.find_or_insert(&labels).unwrap();
    }
    let view = store.view();
    assert!(view.sorted().eq([2, 1, 0].map(SeriesId)), "{:?}", view.sorted().collect::<Vec<_>>());
}

#[test]
fn a_dead_series_that_returns_is_a_new_one() {
    let mut store = LabelStore::new();
    let [first, second] = [[(&b"a"[..], &b"1"[..])], [(&b"a"[..], &b"2"[..])]];
    assert_eq!(store.find_or_insert(&first), Ok(SeriesId(0)));
    assert_eq!(store.find_or_insert(&second), Ok(SeriesId(1)));
    store.begin_generation();
    assert!(store.touch(SeriesId(1)));
    let frozen = store.freeze(SeriesId(2)).unwrap();
    let mut reader = store.clone();
    assert_eq!((store.find(&first), store.touch(SeriesId(0))), (None, false));
    assert_eq!(store.find_or_insert(&first), Ok(SeriesId(2)));
    assert_eq!(store.labels(SeriesId(0)).len(), 1, "until the copy is in place");
    store.finish(frozen.copy()).unwrap();
    assert_eq!(store.labels(SeriesId(0)).len(), 0);
    assert_eq!(store.find(&first), Some(SeriesId(2)));
    assert_eq!(store.find(&second), Some(SeriesId(1)));
    assert!(store.view().sorted().eq([SeriesId(2), SeriesId(1)]));
    assert_eq!((reader.find(&first), reader.len()), (None, 1), "a reader sees what was");
    assert!(reader.labels(SeriesId(0)).eq(first));
}

/// A file of a store that has been shrunk and is frozen again.
fn fixed_file() -> Vec<u8> {
    let mut store = LabelStore::new();
    let insert = |store: &mut LabelStore, numbers: std::ops::Range<u32>| {
        for number in numbers {
            let value = number.to_string();
            let other: &[(&[u8], &[u8])] = &[(b"a", value.as_bytes()), (b"b", b"x")];
            store.find_or_insert(&other[..1 + number as usize % 2]).unwrap();
        }
    };
    insert(&mut store, 0..6);
    store.begin_generation();
    insert(&mut store, 2..5);
    let frozen = store.freeze(SeriesId(6)).unwrap();
    store.finish(frozen.copy()).unwrap();
    insert(&mut store, 6..9);
    store.begin_generation();
    insert(&mut store, 3..8);
    store.freeze(SeriesId(8)).unwrap();
    insert(&mut store, 0..3);
    let mut file = Vec::new();
    store.save(&mut file);
    file
}

#[test]
fn every_cut_and_flipped_byte_of_a_file_is_found() {
    let file = fixed_file();
    assert!(LabelStore::load(&file).is_ok());
    for at in 0..file.len() {
        assert!(LabelStore::load(&file[..at]).is_err(), "cut at {at}");
        let mut flipped = file.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(LabelStore::load(&flipped).is_err(), "flipped at {at}");
    }
}

/// What a file says is changed at random, and its sums hold: it is refused, or is a store that
/// answers.
#[test]
fn a_file_that_says_something_else_is_refused_or_a_store() {
    let file = fixed_file();
    let (mut taken, mut refused) = (0, 0);
    for seed in 0..6000 {
        let mut rng = Rng::new(seed);
        let mut said = manicule_format_labels::decode(&file).unwrap();
        for _ in 0..rng.below(2) + 1 {
            change(&mut said, &mut rng);
        }
        let mut bytes = Vec::new();
        manicule_format_labels::encode(&said, &mut bytes);
        let Ok(mut store) = LabelStore::load(&bytes) else {
            refused += 1;
            continue;
        };
        taken += 1;
        let view = store.view();
        let sorted: Vec<Labels> = view.sorted().map(|id| owned(view.labels(id))).collect();
        assert_eq!(sorted.len(), view.store().len() as usize, "seed {seed}");
        assert!(sorted.is_sorted_by(|left, right| left < right), "seed {seed}");
    }
    assert!(taken > 100 && refused > 1000, "{taken} taken, {refused} refused");
}

fn change(file: &mut manicule_format_labels::LabelFile<'_>, rng: &mut Rng) {
    use manicule_format_labels::Ids;
    let parts = file.parts.len();
    let part = &mut file.parts[rng.below(parts)];
    match rng.below(11) {
        0 => file.is_fixed = !file.is_fixed,
        1 => file.boundary = rng.below(20) as u32,
        2 => file.alive = vec![rng.bits() >> rng.below(64)],
        3 => file.hidden = vec![rng.bits() >> rng.below(64)],
        4 => part.ids = Ids::From(rng.pick(&[0, 1, 5, 9, 12, u32::MAX - 2, u32::MAX])),
        5 => part.ids = Ids::Kept(vec![rng.bits() >> rng.below(64)]),
        6 => part.names[0] = rng.pick(&[&b""[..], b"b", b"c", b"0"]),
        7 => {
            let values = rng.below(part.values.len());
            let value = rng.below(part.values[values].len());
            part.values[values][value] = rng.pick(&[&b""[..], b"x", b"3", b"4", b"new"]);
        }
        8 => part.sets[0] = rng.pick(&[&[0][..], &[0, 1], &[1, 0], &[1], &[]]).to_vec(),
        9 => {
            let at = rng.below(part.rows.len());
            part.rows.to_mut()[at] = rng.below(5) as u8;
        }
        _ => {
            let other = rng.below(parts);
            file.parts[other] = file.parts[rng.below(parts)].clone();
        }
    }
}
