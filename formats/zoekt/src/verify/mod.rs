//! Verification of a shard: every offset, count, order and checksum, and that names and contents
//! have the trigrams that the lists say, no more and no fewer.
//!
//! Four steps: the table of contents and the JSON; what there is to each document; then, for the
//! contents and for the names, where their runes lie, and each position of each list against them.
//! What is wrong is noted and passed over.
//!
//! Beside the shard this holds, for each corpus, 16 bytes for 64 runes (a quarter of its text), and
//! 12 bytes a symbol.
//!
//! Bytes:   docs/formats/zoekt.md

mod corpus;
mod documents;
mod frame;
mod json;

use std::sync::Mutex;

use manicule_core::bytes::DecodeError;
use manicule_core::counts;
use manicule_core::findings::Findings;
use manicule_core::watch::Meter;

pub use json::verify_sidecar;

use crate::corpus::{CONTENTS, NAMES};
use crate::deltas;
use crate::items::Items;
use crate::layout::{Extent, Section, Shape, Toc};
use crate::metadata::{COMPOUND_VERSION, IndexMetadata, Repository};
use crate::shard::Shard;
use crate::source::{Source, reader, slice};

/// Runs a task for each number below a count: in any order, on the caller's threads. A format knows
/// none.
pub type Spread<'a> = dyn Fn(usize, &(dyn Fn(usize) + Sync)) + 'a;

/// Options of a verification.
pub struct VerifyOptions<'a> {
    /// Maximum number of findings listed individually.
    pub findings_max: usize,
    /// Runs the parts of the work.
    pub spread: &'a Spread<'a>,
    /// Counts the bytes that are done.
    pub meter: &'a Meter<'a>,
}

counts! {
    /// Counts of what was verified of a shard.
    pub struct ShardCounts {
        /// Documents.
        documents,
        /// Posting lists that were decoded.
        lists,
        /// The positions that they name together.
        postings,
        /// Bytes of the documents that were read.
        text_len,
    }
}

/// Verifies the bytes of a whole shard file.
pub fn verify(bytes: &[u8], options: &VerifyOptions<'_>) -> (ShardCounts, Findings) {
    let mut findings = Findings::new(options.findings_max);
    let Some(toc) = frame::check(bytes, &mut findings) else {
        return (ShardCounts::default(), findings);
    };
    let mut check = Check {
        bytes,
        document_count: toc.extent(Section::FileContents).item_count(),
        toc,
        metadata: None,
        repositories: Vec::new(),
        repository_of: Vec::new(),
        options,
        verified: ShardCounts::default(),
        findings,
    };
    check.run();
    let Check { verified, mut findings, .. } = check;
    // What opening refuses was looked for above, in more detail. Should that ever miss something,
    // it is reported here.
    if findings.count == 0
        && let Err(error) = Shard::open(bytes)
    {
        findings.add("shard", 0, "opening", "a shard", error);
    }
    (verified, findings)
}

/// A verification under way.
struct Check<'a> {
    bytes: &'a [u8],
    toc: Toc,
    /// Number of documents, by the index of *fileContents*.
    document_count: usize,
    metadata: Option<IndexMetadata>,
    repositories: Vec<Repository>,
    /// Of each document; empty in a shard of one.
    repository_of: Vec<u32>,
    options: &'a VerifyOptions<'a>,
    verified: ShardCounts,
    findings: Findings,
}

impl<'a> Check<'a> {
    fn run(&mut self) {
        self.verified.documents = self.document_count as u64;
        self.metadata();
        self.counts();
        let tiled = Section::ALL.map(|section| self.index_is_sound(section));
        let is_tiled = |section: Section| tiled[section as usize];
        self.repository_numbers();
        self.branches();
        self.sub_repositories();
        self.languages();
        self.categories();
        self.repository_ids();
        self.symbol_tables();
        if !is_tiled(Section::FileContents) {
            return;
        }
        let documents = self.documents(is_tiled);
        self.corpus(&CONTENTS, &documents.rune_counts, is_tiled(Section::Postings));
        if is_tiled(Section::FileNames) {
            let (rune_counts, names_are_plain) = self.name_counts();
            self.corpus(&NAMES, &rune_counts, is_tiled(Section::NamePostings));
            self.plain_ascii(documents.is_plain && names_are_plain);
        }
    }

    /// Notes what is wrong about a section.
    fn find(
        &mut self,
        section: Section,
        at: u64,
        what: impl std::fmt::Display,
        want: impl std::fmt::Display,
        got: impl std::fmt::Display,
    ) {
        self.findings.add(section.tag(), at, what, want, got);
    }

    fn find_error(&mut self, section: Section, error: &DecodeError) {
        self.findings.add_error(section.tag(), error);
    }

    fn extent(&self, section: Section) -> Extent {
        self.toc.extent(section)
    }

    fn at(&self, section: Section) -> u64 {
        self.extent(section).at.into()
    }

    fn section(&self, section: Section) -> &'a [u8] {
        slice(self.bytes, self.extent(section).data())
    }

    fn items(&self, section: Section) -> Items<'a> {
        Items::new(Source::whole(self.bytes), self.extent(section), section.tag())
    }

    /// The numbers of a section of sized deltas; `None`, and a finding, where they can't be read.
    fn numbers(&mut self, section: Section) -> Option<Vec<u32>> {
        match deltas::decode(section.tag(), reader(self.bytes, self.extent(section).data())) {
            Ok(numbers) => Some(numbers),
            Err(error) => {
                self.find_error(section, &error);
                None
            }
        }
    }

    fn is_compound(&self) -> bool {
        let version = self.metadata.as_ref().map(|metadata| metadata.index_format_version);
        version == Some(COMPOUND_VERSION)
    }

    /// Sections with one item, or a fixed number of bytes, for each document.
    fn counts(&mut self) {
        let count = self.document_count;
        for section in [Section::FileNames, Section::Newlines, Section::FileSections] {
            let got = self.extent(section).item_count();
            if got != count {
                self.find(section, self.extent(section).index_at.into(), "items", count, got);
            }
        }
        for (section, want) in [
            (Section::BranchMasks, count * 8),
            (Section::Languages, count * 2),
            (Section::Categories, count),
            (Section::ContentChecksums, count * 8),
            (Section::FileEndSymbol, (count + 1) * 4),
            (Section::NgramText, self.extent(Section::Postings).item_count() * 8),
            (Section::NameNgramText, self.extent(Section::NamePostings).item_count() * 8),
        ] {
            let got = self.extent(section).len as usize;
            if got != want {
                self.find(section, self.at(section), "length in bytes", want, got);
            }
        }
    }

    /// Whether the items of a section follow each other from its first byte to its last.
    fn index_is_sound(&mut self, section: Section) -> bool {
        let (extent, items) = (self.extent(section), self.items(section));
        let before = self.findings.count;
        if items.is_empty() {
            if section.shape() != Shape::Simple && extent.len != 0 {
                self.find(section, extent.at.into(), "bytes without items", 0, extent.len);
            }
            return self.findings.count == before;
        }
        if items.start(0) != extent.at {
            let (want, got) = (extent.at, items.start(0));
            self.find(section, extent.index_at.into(), "start of the first item", want, got);
        }
        for index in 0..items.len() {
            if let Err(error) = items.range(index) {
                self.find_error(section, &error);
            }
        }
        self.findings.count == before
    }

    fn repository_numbers(&mut self) {
        let section = Section::Repos;
        if !self.is_compound() {
            let got = self.extent(section).len;
            if got != 0 {
                self.find(section, self.at(section), "length in a shard of format 16", 0, got);
            }
            return;
        }
        let Some(numbers) = self.numbers(section) else { return };
        let at = self.at(section);
        if numbers.len() != self.document_count {
            self.find(section, at, "documents", self.document_count, numbers.len());
        }
        let numbers: Vec<u32> = numbers.into_iter().map(|number| number & 0xffff).collect();
        let count = self.repositories.len();
        for (document, number) in numbers.iter().enumerate() {
            if *number as usize >= count {
                let what = format_args!("repository of document {document}");
                self.find(section, at, what, format_args!("below {count}"), number);
            }
            if document > 0 && *number < numbers[document - 1] {
                let what = format_args!("repository of document {document}");
                let want = format_args!("{} or more", numbers[document - 1]);
                self.find(section, at, what, want, number);
            }
        }
        self.repository_of = numbers;
    }

    fn repository(&self, document: usize) -> Option<&Repository> {
        let number = self.repository_of.get(document).copied().unwrap_or(0);
        self.repositories.get(number as usize)
    }

    fn branches(&mut self) {
        let (section, at) = (Section::BranchMasks, self.at(Section::BranchMasks));
        for (document, mask) in self.section(section).as_chunks::<8>().0.iter().enumerate() {
            let mask = u64::from_be_bytes(*mask);
            let Some(repository) = self.repository(document) else { continue };
            let count = repository.branches.as_ref().map_or(0, Vec::len);
            let above = mask.checked_shr(count as u32).unwrap_or(0);
            // A document of a repository with branches is on one of them, or it would not be here.
            if above != 0 || (mask == 0 && count > 0) {
                let what = format_args!("branches of document {document}");
                let want = format_args!("one or more of {count}");
                self.find(section, at + document as u64 * 8, what, want, format_args!("{mask:#x}"));
            }
        }
    }

    fn sub_repositories(&mut self) {
        let (section, at) = (Section::SubRepos, self.at(Section::SubRepos));
        let Some(numbers) = self.numbers(section) else { return };
        if numbers.len() != self.document_count {
            self.find(section, at, "documents", self.document_count, numbers.len());
        }
        for (document, number) in numbers.into_iter().enumerate() {
            let Some(repository) = self.repository(document) else { continue };
            let max = repository.sub_repo_map.as_ref().map_or(0, |map| map.len());
            if number as usize > max {
                let what = format_args!("sub-repository of document {document}");
                self.find(section, at, what, format_args!("{max} at most"), number);
            }
        }
    }

    fn languages(&mut self) {
        let (section, at) = (Section::Languages, self.at(Section::Languages));
        let Some(metadata) = &self.metadata else { return };
        let mut codes: Vec<u16> = metadata.language_map.values().copied().collect();
        codes.sort_unstable();
        // Codes are given in the order in which documents need them.
        let mut next = 0u32;
        for (document, code) in self.section(section).as_chunks::<2>().0.iter().enumerate() {
            let code = u16::from_le_bytes(*code);
            let at = at + document as u64 * 2;
            let what = format_args!("language of document {document}");
            if codes.binary_search(&code).is_err() {
                self.find(section, at, what, "a code of LanguageMap", code);
            } else if u32::from(code) > next {
                self.find(section, at, what, format_args!("{next} at most"), code);
            }
            next = next.max(u32::from(code) + 1);
        }
        let (section, at) = (Section::MetaData, self.at(Section::MetaData));
        if let Some(code) = codes.windows(2).find(|pair| pair[0] == pair[1]) {
            self.find(section, at, "languages of code", "one", format_args!("{} twice", code[0]));
        }
        if codes.len() as u32 != next {
            self.find(section, at, "languages in LanguageMap", next, codes.len());
        }
    }

    fn categories(&mut self) {
        let (section, at) = (Section::Categories, self.at(Section::Categories));
        for (document, byte) in self.section(section).iter().enumerate() {
            if !(1..=8).contains(byte) {
                let what = format_args!("category of document {document}");
                self.find(section, at + document as u64, what, "1 to 8", byte);
            }
        }
    }

    /// The set of the repositories' ids: there if each has one.
    fn repository_ids(&mut self) {
        let (section, at) = (Section::ReposIdsBitmap, self.at(Section::ReposIdsBitmap));
        let len = self.extent(section).len;
        let mut ids: Vec<u32> = self.repositories.iter().map(|repository| repository.id).collect();
        ids.sort_unstable();
        ids.dedup();
        let is_wanted = self.is_compound() && !ids.is_empty() && ids[0] != 0;
        if !is_wanted || len == 0 {
            if is_wanted != (len != 0) && self.metadata.is_some() && !ids.is_empty() {
                let want = if is_wanted { "the ids of the repositories" } else { "nothing" };
                self.find(section, at, "set of ids", want, format_args!("{len} bytes"));
            }
            return;
        }
        let extent = reader(self.bytes, self.extent(section).data());
        match crate::roaring::decode(extent, ids.len()) {
            Err(error) => self.find_error(section, &error),
            Ok(got) if got != ids => {
                let other = got.iter().zip(&ids).find(|(got, want)| got != want);
                match other {
                    Some((got, want)) => self.find(section, at, "id of a repository", want, got),
                    None => self.find(section, at, "ids of repositories", ids.len(), got.len()),
                }
            }
            Ok(_) => {}
        }
    }

    /// Runs a task for each number below `count`, and takes the findings of all.
    fn spread(&mut self, count: usize, task: &(dyn Fn(usize, &mut Findings) + Sync)) {
        let all = Mutex::new(self.findings.part());
        let part = self.findings.part();
        (self.options.spread)(count, &|index| {
            let mut own = part.clone();
            task(index, &mut own);
            if own.count > 0 {
                all.lock().expect("no task panics").merge(own);
            }
        });
        self.findings.merge(all.into_inner().expect("no task panics"));
    }

    fn plain_ascii(&mut self, want: bool) {
        let Some(got) = self.metadata.as_ref().map(|metadata| metadata.plain_ascii) else { return };
        if got != want {
            self.find(Section::MetaData, self.at(Section::MetaData), "PlainASCII", want, got);
        }
    }
}
