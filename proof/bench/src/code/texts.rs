//! The texts of a tree in memory, in the order in which their trigrams are counted.

use std::fs;
use std::path::Path;

use anyhow::Result;
use manicule_code::shards::{
    Classify, Cut, Full, IGNORE_DIRS, IgnoreDirs, LargeFiles, Limits, Linguist, Root, Standing,
    TrigramCounter, Unclassified, Within, shard_order,
};
use manicule_format_zoekt::{Skip, rune_count};

/// zoekt-index's defaults.
const LIMITS: Limits = Limits { size_max: 2 << 20, trigrams_max: 20_000 };
const SHARD_LEN_MAX: u64 = 100 << 20;

/// Maximum file size of the seed's benchmark, and the folders it leaves out.
const SEED_SIZE_MAX: u64 = 1 << 20;
const SEED_LEFT_OUT: &[&str] = &[".git", "vendor", "node_modules"];

/// The texts of a shard.
pub(super) struct Shard {
    pub(super) texts: Vec<Vec<u8>>,
    /// The first rune of each text, and the end of the last.
    pub(super) runes: Vec<u32>,
    /// The first byte of each text, and the end of the last.
    pub(super) bytes: Vec<u64>,
}

impl Shard {
    /// Of texts in the order of the shard.
    pub(super) fn new(texts: Vec<Vec<u8>>) -> Self {
        let (mut runes, mut bytes) = (vec![0], vec![0]);
        let (mut rune, mut byte) = (0u32, 0u64);
        for text in &texts {
            rune += rune_count(text) as u32;
            byte += text.len() as u64;
            runes.push(rune);
            bytes.push(byte);
        }
        Shard { texts, runes, bytes }
    }

    /// Bytes of all texts.
    pub(super) fn len(&self) -> u64 {
        self.bytes[self.texts.len()]
    }

    /// Runes of all texts.
    pub(super) fn rune_count(&self) -> u64 {
        self.runes[self.texts.len()].into()
    }
}

/// A document of a tree, read.
pub(super) struct Document {
    pub(super) name: Vec<u8>,
    pub(super) content: Vec<u8>,
    pub(super) skip: Option<Skip>,
}

/// The documents of a tree as the index reads them, in the order of its walk.
pub(super) fn documents(tree: &Path) -> Result<Vec<Document>> {
    let root = Root::open(tree)?;
    let allowance = LargeFiles::new([]).allowance(b"");
    let mut counter = TrigramCounter::default();
    let found = root.walk(&IgnoreDirs::parse(IGNORE_DIRS))?.into_iter();
    let read = found.map(|found| {
        let mut content = Vec::new();
        let mut skip = LIMITS.skip_unread(found.len, allowance);
        if skip.is_none() {
            skip = match root.read(&found, LIMITS.size_max, &mut content)? {
                Within::No => Some(Skip::TooLarge),
                Within::Yes => LIMITS.skip(&content, allowance, &mut counter),
            };
        }
        Ok(Document { name: found.name, content, skip })
    });
    read.collect()
}

/// The texts of a tree as the index takes them: the same files are left out, the shards end where
/// they end, and their texts are in the same order.
pub(super) fn of_index(tree: &Path) -> Result<Vec<Shard>> {
    let linguist = Linguist::default();
    let mut cut = Cut::new(SHARD_LEN_MAX);
    let mut shards = Vec::new();
    let mut taken: Vec<(Standing, Vec<u8>)> = Vec::new();
    for Document { name, content, skip } in documents(tree)? {
        let class = linguist.classify(&Unclassified { name: &name, content: &content, skip });
        let stored = match skip {
            Some(skip) => skip.marker().to_vec(),
            None => content,
        };
        let standing = Standing {
            name_len: name.len(),
            content_len: stored.len(),
            skip,
            category: class.category,
            symbol_count: 0,
            branch_count: 0,
        };
        let counted = if skip.is_some() { 0 } else { stored.len() };
        taken.push((standing, stored));
        if cut.note(name.len(), counted) == Full::Yes {
            shards.push(in_order(std::mem::take(&mut taken)));
        }
    }
    if !taken.is_empty() {
        shards.push(in_order(taken));
    }
    Ok(shards)
}

fn in_order(taken: Vec<(Standing, Vec<u8>)>) -> Shard {
    let standings: Vec<Standing> = taken.iter().map(|(standing, _)| *standing).collect();
    let mut texts: Vec<Vec<u8>> = taken.into_iter().map(|(_, text)| text).collect();
    let order = shard_order(&standings);
    Shard::new(order.into_iter().map(|place| std::mem::take(&mut texts[place as usize])).collect())
}

/// The texts of a tree as the seed's benchmark takes them: files of at most 1 MiB without a zero
/// byte, all in one builder.
pub(super) fn of_seed(tree: &Path) -> Result<Vec<Shard>> {
    let mut texts = Vec::new();
    add_below(tree, &mut texts)?;
    Ok(vec![Shard::new(texts)])
}

fn add_below(folder: &Path, texts: &mut Vec<Vec<u8>>) -> Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(|entry| entry.file_name());
    for entry in entries {
        let name = entry.file_name();
        let meta = entry.metadata()?;
        if meta.is_dir() {
            if !SEED_LEFT_OUT.iter().any(|left_out| name == **left_out) {
                add_below(&entry.path(), texts)?;
            }
        } else if (1..=SEED_SIZE_MAX).contains(&meta.len()) {
            let text = fs::read(entry.path())?;
            if !text.contains(&0) {
                texts.push(text);
            }
        }
    }
    Ok(())
}
