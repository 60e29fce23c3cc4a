//! Contents of shards, for people: sizes, repositories, languages, what was skipped, posting
//! statistics.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use manicule_format_zoekt::{
    Category, Corpus, Error, Repository, Section, Shape, Shard, ngram_runes,
};
use manicule_store::store::{Fetched, Name};

use super::find::Foreseen;
use super::open::{FoundShard, ShardError, Sidecar, Take, find_in, map_shards_in};
use super::opening::bring_opening;

/// Prefix of a skipped document's content.
const SKIPPED: &[u8] = b"NOT-INDEXED: ";
/// A reason is a few words: a document that merely begins like one is none.
const REASON_LEN_MAX: usize = 64;
const DENSEST_COUNT: usize = 10;

/// Contents of a shard.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardInspection {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub len: u64,
    /// 16 for one repository, 17 for several.
    pub format_version: u32,
    /// Version of the features that the writer put in.
    pub feature_version: u32,
    /// The oldest reader that understands it.
    pub min_reader_version: u32,
    /// Time of its making.
    pub made_at: String,
    /// Name of the writer; often empty.
    pub writer: String,
    /// Names the run that made it.
    pub id: String,
    /// No rune of 0x80 or more is in it.
    pub plain_ascii: bool,
    /// Documents.
    pub document_count: u64,
    /// Their bytes.
    pub text_len: u64,
    /// The bytes of their names.
    pub name_len: u64,
    /// Line feeds.
    pub line_count: u64,
    /// Symbols.
    pub symbol_count: u64,
    /// Whether a sidecar lies beside it; `repositories` are as that says.
    pub has_sidecar: bool,
    /// Its parts, in the order of the file.
    pub sections: Vec<SectionInspection>,
    /// Repositories of its documents.
    pub repositories: Vec<RepositoryInspection>,
    /// Documents by language, most documents first; the language may be empty.
    pub languages: Vec<Count>,
    /// Documents by category, most documents first.
    pub categories: Vec<Count>,
    /// Documents without their content, by the reason, most first.
    pub skipped: Vec<Count>,
    /// The lists of the contents.
    pub postings: Lists,
    /// The lists of the names.
    pub name_postings: Lists,
}

/// A section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionInspection {
    /// Its name.
    pub name: &'static str,
    /// Offset of the section.
    pub offset: u64,
    /// Its bytes, with the index.
    pub len: u64,
    /// Of those, the index.
    pub index_len: u64,
    /// Its items, where it has such.
    pub item_count: Option<u64>,
    /// Description of the section.
    pub about: &'static str,
}

/// A repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryInspection {
    /// Its id, or 0.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Path or URL that the indexer read it from.
    pub source: String,
    /// URL for people.
    pub url: String,
    /// Branches and their commits.
    pub branches: Vec<(String, String)>,
    /// Repositories within it: their paths.
    pub sub_repositories: Vec<String>,
    /// Higher ranks come first in answers.
    pub rank: u16,
    /// Whether symbols were looked for.
    pub has_symbols: bool,
    /// Its documents are not to be found any more.
    pub is_tombstone: bool,
    /// Paths whose documents are not to be found any more.
    pub file_tombstone_count: u64,
    /// Documents.
    pub document_count: u64,
    /// Their bytes.
    pub text_len: u64,
}

/// Documents of one sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Name of the sort: a language, a category, a reason.
    pub name: String,
    /// Number of documents.
    pub document_count: u64,
    /// Their bytes in the shard.
    pub text_len: u64,
}

/// Statistics of a corpus's lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lists {
    /// Number of trigrams with a list.
    pub list_count: u64,
    /// Number of positions in all lists together.
    pub posting_count: u64,
    /// The bytes of all lists.
    pub len: u64,
    /// Positions a list: median, 90th and 99th percentile, longest.
    pub lengths: [u32; 4],
    /// The longest lists, longest first.
    pub densest: Vec<DenseList>,
}

/// One of the longest lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseList {
    /// Its trigram.
    pub trigram: String,
    /// Number of positions in the list.
    pub posting_count: u32,
    /// Its bytes.
    pub len: u64,
}

/// A shard in a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardSummary {
    /// The file.
    pub path: PathBuf,
    /// Its bytes.
    pub len: u64,
    /// Documents; `Err` says why it can't be read.
    pub documents: Result<ShardDocuments, String>,
}

/// Counts in a shard's line, beyond its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardDocuments {
    /// 16 for one repository, 17 for several.
    pub format_version: u32,
    /// Time of its making.
    pub made_at: String,
    /// Documents.
    pub document_count: u64,
    /// Their bytes.
    pub text_len: u64,
    /// The names of the repositories that are no tombstones.
    pub repositories: Vec<String>,
    /// Number of tombstones.
    pub tombstone_count: u64,
}

/// Tells what a shard holds. Costs a read of its lists, not of its contents: 0.1 s for 287 MB.
pub fn inspect(path: &Path) -> Result<ShardInspection, ShardError> {
    inspected(&FoundShard::open(path)?)
}

/// As [`inspect`], of a shard in a store's own folder.
pub fn inspect_in(files: &Fetched, name: &str) -> Result<ShardInspection, ShardError> {
    let mut failed = None;
    let found =
        find_in(files, Some(name), Take::Whole, &[], &mut |error| failed = Some(error))?.pop();
    let missing = || ShardError::None { path: files.store().show(&Name::root()) };
    inspected(&found.ok_or_else(|| failed.unwrap_or_else(missing))?)
}

fn inspected(found: &FoundShard) -> Result<ShardInspection, ShardError> {
    let FoundShard { path, bytes, sidecar, .. } = found;
    let mut shard = Shard::open(bytes).map_err(ShardError::damaged(path))?;
    apply(sidecar.as_ref(), &mut shard)?;
    let has_sidecar = sidecar.is_some();
    let lists = |corpus| lists(corpus).map_err(ShardError::decode(path));
    let (postings, name_postings) = (lists(shard.contents())?, lists(shard.names())?);
    let Documents { languages, categories, skipped, by_repository, lines } =
        documents(&shard).map_err(ShardError::damaged(path))?;
    let repositories = shard.repositories().iter().zip(by_repository);
    let metadata = shard.metadata();
    let len_of = |section| u64::from(shard.toc().extent(section).len);
    Ok(ShardInspection {
        path: path.to_owned(),
        len: bytes.len() as u64,
        format_version: metadata.index_format_version,
        feature_version: metadata.index_feature_version,
        min_reader_version: metadata.index_min_reader_version,
        made_at: metadata.index_time.clone(),
        writer: metadata.zoekt_version.clone(),
        id: metadata.id.clone(),
        plain_ascii: metadata.plain_ascii,
        document_count: shard.document_count() as u64,
        text_len: len_of(Section::FileContents),
        name_len: len_of(Section::FileNames),
        line_count: lines,
        symbol_count: len_of(Section::SymbolMetaData) / 16,
        has_sidecar,
        sections: sections(&shard),
        repositories: repositories
            .map(|(repository, own)| of_repository(repository, own))
            .collect(),
        languages,
        categories,
        skipped,
        postings,
        name_postings,
    })
}

/// Tells of each shard of a folder, in a line. What can't be read or opened has a line as well.
pub fn summarise(folder: &Path) -> Result<Vec<ShardSummary>, ShardError> {
    summarise_in(&Fetched::local(folder))
}

/// As [`summarise`], of a store's own folder.
pub fn summarise_in(files: &Fetched) -> Result<Vec<ShardSummary>, ShardError> {
    let folder = files.store().show(&Name::root());
    let found = map_shards_in(files, Take::Ranges).map_err(ShardError::io(&folder))?;
    if found.is_empty() {
        return Err(ShardError::None { path: folder });
    }
    // What can't be brought here is an error of opening.
    bring_opening(found.iter().flatten(), Foreseen::Documents);
    let line = |found: Result<FoundShard, ShardError>| match found {
        Err(error) => {
            let (path, what) = (error.path().to_owned(), error.what());
            ShardSummary { path, len: 0, documents: Err(what) }
        }
        Ok(found) => {
            let opened = Shard::open_file(&*found.bytes).map_err(|error| found.damaged(error));
            let documents = opened.and_then(|mut shard| {
                apply(found.sidecar.as_ref(), &mut shard)?;
                Ok(summary(&shard))
            });
            let documents = documents.map_err(|error| error.what());
            ShardSummary { len: found.bytes.len() as u64, path: found.path, documents }
        }
    };
    Ok(found.into_iter().map(line).collect())
}

fn summary(shard: &Shard<'_>) -> ShardDocuments {
    let (dead, live): (Vec<_>, Vec<_>) =
        shard.repositories().iter().partition(|repository| repository.tombstone);
    ShardDocuments {
        format_version: shard.metadata().index_format_version,
        made_at: shard.metadata().index_time.clone(),
        document_count: shard.document_count() as u64,
        text_len: shard.toc().extent(Section::FileContents).len.into(),
        repositories: live.iter().map(|repository| repository.name.to_string()).collect(),
        tombstone_count: dead.len() as u64,
    }
}

/// Takes what the sidecar says, if there is one.
fn apply(sidecar: Option<&Sidecar>, shard: &mut Shard<'_>) -> Result<(), ShardError> {
    let Some(Sidecar { path, bytes }) = sidecar else { return Ok(()) };
    shard.replace_repositories(bytes).map_err(ShardError::sidecar(path))
}

fn sections(shard: &Shard<'_>) -> Vec<SectionInspection> {
    let inspect = |section: Section| {
        let extent = shard.toc().extent(section);
        SectionInspection {
            name: section.tag(),
            offset: extent.at.into(),
            len: u64::from(extent.len) + u64::from(extent.index_len),
            index_len: extent.index_len.into(),
            item_count: (section.shape() != Shape::Simple).then(|| extent.item_count() as u64),
            about: section.about(),
        }
    };
    let mut sections: Vec<SectionInspection> = Section::ALL.into_iter().map(inspect).collect();
    sections.retain(|section| section.len > 0);
    sections.sort_by_key(|section| section.offset);
    sections
}

fn of_repository(repository: &Repository, own: Share) -> RepositoryInspection {
    let branches = repository.branches.iter().flatten();
    let count = |map: Option<usize>| map.unwrap_or(0) as u64;
    RepositoryInspection {
        id: repository.id,
        name: repository.name.to_string(),
        source: repository.source.to_string(),
        url: repository.url.clone(),
        branches: branches.map(|branch| (branch.name.clone(), branch.version.clone())).collect(),
        sub_repositories: repository
            .sub_repo_map
            .iter()
            .flatten()
            .map(|row| row.0.clone())
            .collect(),
        rank: repository.rank,
        has_symbols: repository.has_symbols,
        is_tombstone: repository.tombstone,
        file_tombstone_count: count(repository.file_tombstones.as_ref().map(BTreeMap::len)),
        document_count: own.document_count,
        text_len: own.text_len,
    }
}

/// How many of the documents something has, and how much of their text.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    document_count: u64,
    text_len: u64,
}

/// Documents, counted in four ways.
struct Documents {
    languages: Vec<Count>,
    categories: Vec<Count>,
    skipped: Vec<Count>,
    by_repository: Vec<Share>,
    lines: u64,
}

fn documents(shard: &Shard<'_>) -> Result<Documents, Error> {
    let mut languages: BTreeMap<u16, Share> = BTreeMap::new();
    let mut categories: BTreeMap<&'static str, Share> = BTreeMap::new();
    let mut skipped: BTreeMap<String, Share> = BTreeMap::new();
    let mut by_repository = vec![Share::default(); shard.repositories().len()];
    let mut lines = 0;
    for document in 0..shard.document_count() {
        let text = shard.contents().text(document)?;
        let add = |share: &mut Share| {
            share.document_count += 1;
            share.text_len += text.len() as u64;
        };
        add(languages.entry(shard.language(document)).or_default());
        let category = shard.category(document).map_or("unknown", Category::name);
        add(categories.entry(category).or_default());
        add(&mut by_repository[shard.repository_of(document)]);
        if let Some(reason) = text.strip_prefix(SKIPPED)
            && reason.len() <= REASON_LEN_MAX
            && !reason.contains(&b'\n')
        {
            add(skipped.entry(String::from_utf8_lossy(reason).into_owned()).or_default());
        }
        lines += shard.newlines(document)?.len() as u64;
    }
    let name_of = |code: &u16| {
        let mut names = shard.metadata().language_map.iter();
        names.find(|row| row.1 == code).map_or_else(|| format!("code {code}"), |row| row.0.clone())
    };
    let languages = languages.iter().map(|(code, row)| (name_of(code), *row));
    let categories = categories.into_iter().map(|(name, row)| (name.to_owned(), row));
    Ok(Documents {
        languages: counts(languages),
        categories: counts(categories),
        skipped: counts(skipped),
        by_repository,
        lines,
    })
}

fn counts(rows: impl IntoIterator<Item = (String, Share)>) -> Vec<Count> {
    let count =
        |(name, Share { document_count, text_len })| Count { name, document_count, text_len };
    let mut counts: Vec<Count> = rows.into_iter().map(count).collect();
    counts.sort_by(|a, b| (b.document_count, &a.name).cmp(&(a.document_count, &b.name)));
    counts
}

fn lists(corpus: &Corpus<'_>) -> Result<Lists, manicule_core::bytes::DecodeError> {
    let mut counts = Vec::with_capacity(corpus.ngram_count());
    // The longest so far, shortest first.
    let mut densest: BTreeSet<(u32, std::cmp::Reverse<usize>)> = BTreeSet::new();
    let mut lists = Lists { list_count: corpus.ngram_count() as u64, ..Lists::default() };
    let ngrams = corpus.ngrams()?;
    for list in 0..corpus.ngram_count() {
        let bytes = corpus.postings(list)?;
        // Each number ends in a byte below 0x80.
        let count = bytes.iter().filter(|byte| **byte < 0x80).count() as u32;
        counts.push(count);
        lists.posting_count += u64::from(count);
        lists.len += bytes.len() as u64;
        densest.insert((count, std::cmp::Reverse(list)));
        if densest.len() > DENSEST_COUNT {
            densest.pop_first();
        }
    }
    counts.sort_unstable();
    if let Some(last) = counts.len().checked_sub(1) {
        lists.lengths = [50, 90, 99, 100].map(|percent| counts[last * percent / 100]);
    }
    for (posting_count, list) in densest.into_iter().rev() {
        let len = corpus.postings(list.0)?.len() as u64;
        let runes = ngram_runes(ngrams.at(list.0));
        let trigram = runes.map(|rune| char::from_u32(rune).unwrap_or(char::REPLACEMENT_CHARACTER));
        let trigram = trigram.iter().collect();
        lists.densest.push(DenseList { trigram, posting_count, len });
    }
    Ok(lists)
}
