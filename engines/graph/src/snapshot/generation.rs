//! A generation: the files that a manifest names, mapped.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_core::bytes::DecodeError;
use manicule_core::watch::{Phase, Unit, Watch};
use manicule_format_leaf::manifest::{FileRow, LeafRow, Manifest, TagNumbers, file_sum};
use manicule_format_leaf::statistics::Statistics;
use manicule_format_leaf::{Id, Order, Tag};
use manicule_store::Mapped;
use manicule_store::store::{Fetched, FetchedFolder, Name, StoreError};

use crate::base::{BaseLeaf, LeafBytes, LeafSet};
use crate::dictionary::{PerTag, Segment, TEXT_TAGS, place_of};
use crate::error::GraphError;
use crate::term::TermRef;
use crate::view::WantedTerm;

/// Folder of leaves.
pub const LEAF_FOLDER: &str = "leaf";
/// Folder of dictionary segments.
pub const DICTIONARY_FOLDER: &str = "dict";

/// Folder of statistics.
pub const STATISTICS_FOLDER: &str = "stat";
/// The folders of the files that a manifest names.
pub const FILE_FOLDERS: [&str; 3] = [LEAF_FOLDER, DICTIONARY_FOLDER, STATISTICS_FOLDER];

/// Path of a leaf.
pub fn leaf_path(store: &Path, number: u64) -> PathBuf {
    store.join(LEAF_FOLDER).join(leaf_name(number))
}

/// Path of a dictionary segment.
pub fn dictionary_path(store: &Path, number: u64) -> PathBuf {
    store.join(DICTIONARY_FOLDER).join(dictionary_name(number))
}

fn leaf_name(number: u64) -> String {
    format!("{number:010}.leaf")
}

fn dictionary_name(number: u64) -> String {
    format!("{number:010}.dict")
}

/// Path of statistics.
pub fn statistics_path(store: &Path, number: u64) -> PathBuf {
    store.join(STATISTICS_FOLDER).join(statistics_name(number))
}

fn statistics_name(number: u64) -> String {
    format!("{number:010}.stat")
}

/// The files that a manifest names, with their paths below a folder.
pub fn files_of<'m>(
    store: &'m Path,
    manifest: &'m Manifest,
) -> impl Iterator<Item = (FileRow, PathBuf)> + 'm {
    let leaves = manifest.leaves.iter().map(|row| (row.file, leaf_path(store, row.file.number)));
    let dictionaries =
        manifest.dictionaries.iter().map(|row| (*row, dictionary_path(store, row.number)));
    let statistics = manifest.statistics.map(|row| (row, statistics_path(store, row.number)));
    leaves.chain(dictionaries).chain(statistics)
}

/// Name of a manifest.
pub fn manifest_name(generation: u64) -> String {
    format!("manifest-{generation:010}")
}

/// The files of a generation. They stay readable while it is held, also when others have removed
/// them.
#[derive(Debug)]
pub struct Generation {
    manifest: Manifest,
    sets: [LeafSet; 7],
    /// Oldest first: numbers of terms increase.
    segments: Vec<Arc<Segment>>,
    /// For each tag, where the numbers of each segment and those before it end.
    ends: PerTag<Vec<u64>>,
    statistics: Option<Arc<Statistics>>,
}

impl Generation {
    /// The generation of a store without files.
    pub fn empty(store_id: [u8; 16]) -> Self {
        let manifest = Manifest {
            store_id,
            generation: 0,
            commit: 0,
            log: 0,
            has_log: false,
            next_file: 1,
            next_numbers: TagNumbers::default(),
            sorted_below: TagNumbers::default(),
            default_count: 0,
            named_count: 0,
            leaves: Vec::new(),
            dictionaries: Vec::new(),
            statistics: None,
            graphs: Vec::new(),
        };
        let sets = Order::ALL.map(|order| LeafSet::new(order, Vec::new()));
        let (segments, ends) = (Vec::new(), PerTag::default());
        Generation { manifest, sets, segments, ends, statistics: None }
    }

    /// Maps the files that a manifest names. Those that `before` has mapped already are shared.
    pub fn open(
        files: &Fetched,
        manifest: Manifest,
        before: Option<&Generation>,
    ) -> Result<Self, GraphError> {
        let mut folders = Folders::of(files);
        if !files.is_in_place() {
            folders.bring(&manifest, before)?;
        }
        let mut sets = Vec::with_capacity(Order::ALL.len());
        for order in Order::ALL {
            let known = before.map_or(&[][..], |before| before.set(order).leaves());
            let leaves = manifest.leaves_of(order).iter().map(|row| folders.open_leaf(row, known));
            sets.push(LeafSet::new(order, leaves.collect::<Result<_, _>>()?));
        }
        let known = before.map_or(&[][..], |before| &before.segments);
        let mut segments = Vec::with_capacity(manifest.dictionaries.len());
        for row in &manifest.dictionaries {
            let is_it = |segment: &&Arc<Segment>| segment.row().number == row.number;
            if let Some(segment) = known.iter().find(is_it) {
                segments.push(segment.clone());
                continue;
            }
            segments.push(folders.open_segment(row)?);
        }
        let sets = sets.try_into().expect("a set for each order");
        let is_same = |before: &&Generation| before.manifest.statistics == manifest.statistics;
        let statistics = match (manifest.statistics, before.filter(is_same)) {
            (None, _) => None,
            (Some(_), Some(before)) => before.statistics.clone(),
            (Some(row), None) => Some(Arc::new(read_statistics(files, &row)?)),
        };
        let ends = ends_of(&segments);
        Ok(Generation { manifest, sets, segments, ends, statistics })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The leaves of an order.
    pub fn set(&self, order: Order) -> &LeafSet {
        &self.sets[order as usize]
    }

    /// The dictionary segments, oldest first.
    pub fn segments(&self) -> &[Arc<Segment>] {
        &self.segments
    }

    /// The statistics; none of a generation whose writer gathered none.
    pub fn statistics(&self) -> Option<&Statistics> {
        self.statistics.as_deref()
    }

    /// The bytes of all files, as [`files_of`] lists them.
    pub fn bytes(&self) -> impl Iterator<Item = Cow<'_, [u8]>> {
        let leaves = self.sets.iter().flat_map(LeafSet::leaves).map(|leaf| leaf.bytes());
        let segments = self.segments.iter().map(|segment| segment.bytes());
        let statistics = self.statistics().map(|statistics| Cow::Owned(statistics.encode()));
        leaves.chain(segments).map(Cow::Borrowed).chain(statistics)
    }

    /// An error unless each file has the sum that its row in the manifest has: all of it is read
    /// once. Before what is read becomes files or documents of others, in which the damage would be
    /// sound.
    pub fn check_files(&self, store: &Path, watch: &Watch<'_>) -> Result<(), GraphError> {
        let len = files_of(store, &self.manifest).map(|(row, _)| row.len).sum();
        let meter = watch.phase(Phase::Verifying, Unit::Bytes, len);
        for ((row, file), bytes) in files_of(store, &self.manifest).zip(self.bytes()) {
            let (stored, computed) = (row.sum, file_sum(&bytes));
            if stored != computed {
                let source = DecodeError::Checksum { what: "file", at: 0, stored, computed };
                return Err(GraphError::Damaged { file, source });
            }
            meter.step(row.len)?;
        }
        self.segments.iter().for_each(|segment| segment.set_whole());
        meter.end();
        Ok(())
    }

    /// The number that the next blank node gets, and those that the next terms get.
    pub fn next(&self) -> (u64, PerTag<u64>) {
        let numbers = &self.manifest.next_numbers;
        (numbers.of(Tag::BLANK), TEXT_TAGS.map(|tag| numbers.of(tag)))
    }

    /// Whether rows of the leaves may have an id: it is no newer than they.
    pub fn may_name(&self, id: Id) -> bool {
        !id.tag().is_numbered() || id.payload() < self.manifest.next_numbers.of(id.tag())
    }

    /// The id of a term with a text.
    pub fn find_text(&self, tag: Tag, text: &[u8]) -> Result<Option<Id>, GraphError> {
        for segment in &self.segments {
            if let Some(id) = segment.find(tag, text)? {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Replaces `text` by the bytes of a term; whether there is such a term.
    pub fn read_text(&self, id: Id, text: &mut Vec<u8>) -> Result<bool, GraphError> {
        let Some(place) = place_of(id.tag()) else { return Ok(false) };
        // The numbers of a tag increase from segment to segment.
        let at = self.ends[place].partition_point(|end| *end <= id.payload());
        self.segments.get(at).map_or(Ok(false), |segment| segment.read(id, text))
    }

    /// Reads terms of the segment that the first of them is in, up to the first that isn't there;
    /// how many they are.
    pub fn read_texts(
        &self,
        ids: &[WantedTerm],
        read: &mut dyn FnMut(WantedTerm, TermRef<'_>),
    ) -> Result<usize, GraphError> {
        let Some(WantedTerm { id: first, .. }) = ids.first() else { return Ok(0) };
        let Some(place) = place_of(first.tag()) else { return Ok(0) };
        let at = self.ends[place].partition_point(|end| *end <= first.payload());
        self.segments.get(at).map_or(Ok(0), |segment| segment.read_some(place, ids, read))
    }

    /// Whether a graph of this name exists.
    pub fn has_graph(&self, name: Id) -> Result<bool, GraphError> {
        let is_empty = self.manifest.graphs.binary_search(&name).is_ok();
        Ok(is_empty || !self.set(Order::Gspo).range(&[name])?.is_empty())
    }

    /// The names of graphs: those without quads, and those that quads name, which are looked for
    /// one after the other.
    pub fn graphs(&self) -> Result<BTreeSet<Id>, GraphError> {
        let mut names: BTreeSet<Id> = self.manifest.graphs.iter().copied().collect();
        let set = self.set(Order::Gspo);
        let (mut next, mut column) = (0, Vec::new());
        while next < set.row_count() {
            column.clear();
            set.decode(0, next..next + 1, &mut column)?;
            let name = Id(column[0]);
            names.insert(name);
            next = set.range(&[name])?.end;
        }
        Ok(names)
    }
}

fn ends_of(segments: &[Arc<Segment>]) -> PerTag<Vec<u64>> {
    std::array::from_fn(|place| {
        let ends = segments.iter().scan(0, |end, segment| {
            *end = segment.numbers(place).map_or(*end, |numbers| numbers.end.max(*end));
            Some(*end)
        });
        ends.collect()
    })
}

/// The folders of a store that files are mapped in, listed where that costs less than looking at
/// each of them.
struct Folders<'f> {
    files: &'f Fetched,
    listed: HashMap<&'static str, FetchedFolder<'f>>,
    /// Files that were brought together, by their names.
    brought: HashMap<String, Mapped>,
}

impl<'f> Folders<'f> {
    fn of(files: &'f Fetched) -> Self {
        Folders { files, listed: HashMap::new(), brought: HashMap::new() }
    }

    /// A folder, which is listed when its first file is wanted.
    fn listed(&mut self, name: &'static str) -> Result<&FetchedFolder<'f>, StoreError> {
        Ok(match self.listed.entry(name) {
            Entry::Occupied(listed) => listed.into_mut(),
            Entry::Vacant(place) => {
                place.insert(self.files.folder(&Name::new(name).expect("folders have names"))?)
            }
        })
    }

    /// Brings the files that `before` has not mapped, side by side.
    fn bring(
        &mut self,
        manifest: &Manifest,
        before: Option<&Generation>,
    ) -> Result<(), GraphError> {
        let known =
            before.into_iter().flat_map(|before| before.sets.iter().flat_map(LeafSet::leaves));
        let known: HashSet<u64> = known.map(|leaf| leaf.row().file.number).collect();
        let rows = Order::ALL.into_iter().flat_map(|order| manifest.leaves_of(order));
        let numbers = rows.map(|row| row.file.number).filter(|number| !known.contains(number));
        self.bring_all(LEAF_FOLDER, numbers.map(leaf_name).collect())?;
        let known = before.into_iter().flat_map(|before| &before.segments);
        let known: HashSet<u64> = known.map(|segment| segment.row().number).collect();
        let numbers = manifest.dictionaries.iter().map(|row| row.number);
        let numbers = numbers.filter(|number| !known.contains(number));
        self.bring_all(DICTIONARY_FOLDER, numbers.map(dictionary_name).collect())
    }

    fn bring_all(&mut self, folder: &'static str, names: Vec<String>) -> Result<(), GraphError> {
        if names.is_empty() {
            return Ok(());
        }
        let mapped = self.listed(folder)?.map_all(&names);
        for (name, mapped) in names.into_iter().zip(mapped) {
            self.brought.insert(name, mapped?.bytes);
        }
        Ok(())
    }

    fn map(&mut self, folder: &'static str, file: &str) -> Result<(PathBuf, Mapped), StoreError> {
        let bytes = match self.brought.remove(file) {
            Some(bytes) => bytes,
            None => self.listed(folder)?.map(file)?.bytes,
        };
        Ok((self.files.store().show(&name_in(folder, file)), bytes))
    }

    fn open_leaf(
        &mut self,
        row: &LeafRow,
        known: &[Arc<BaseLeaf>],
    ) -> Result<Arc<BaseLeaf>, GraphError> {
        match known.iter().find(|leaf| leaf.row().file.number == row.file.number) {
            Some(leaf) if leaf.row().separator == row.separator => Ok(leaf.clone()),
            Some(leaf) => Ok(Arc::new(leaf.with_separator(row.separator))),
            None => {
                let (path, bytes) = self.map(LEAF_FOLDER, &leaf_name(row.file.number))?;
                BaseLeaf::open(*row, path, LeafBytes::Mapped(bytes)).map(Arc::new)
            }
        }
    }

    fn open_segment(&mut self, row: &FileRow) -> Result<Arc<Segment>, GraphError> {
        let (path, bytes) = self.map(DICTIONARY_FOLDER, &dictionary_name(row.number))?;
        Segment::open(*row, path, bytes).map(Arc::new)
    }
}

fn name_in(folder: &str, file: &str) -> Name {
    Name::new(folder).and_then(|folder| folder.join(file)).expect("digits and an ending are a name")
}

fn read_statistics(files: &Fetched, row: &FileRow) -> Result<Statistics, GraphError> {
    let name = name_in(STATISTICS_FOLDER, &statistics_name(row.number));
    let mut bytes = Vec::new();
    files.store().read(&name, u64::MAX, &mut bytes)?;
    let (want, got) = (row.len, bytes.len() as u64);
    let read = if want == got {
        Statistics::decode(&bytes)
    } else {
        Err(DecodeError::Corrupt { what: "length that the manifest has", at: 0, want, got })
    };
    read.map_err(|source| GraphError::Damaged { file: files.store().show(&name), source })
}
