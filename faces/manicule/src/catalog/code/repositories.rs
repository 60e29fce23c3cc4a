//! `code.repositories`: repositories of shards.

use serde_json::Value as Json;

use super::opened::{OfRepository, by_shards, opened};
use crate::answer::{Field, Held, Job, Kind, Question, Rows};
use crate::catalog::arguments::Arguments;
use crate::catalog::table::{Push, Table};
use crate::code::search::repository_shares;
use crate::code::shards::Repository;
use crate::failure::Failure;
use crate::times::micros_of_rfc_3339;

pub(crate) static REPOSITORIES: Table = Table {
    name: "code.repositories",
    about: "A repository in a zoekt shard, by the shard's metadata. One that several shards have is a row of each.",
    arguments: &[],
    order: "shard, repository. Partitions follow each other in it.",
    pushes: &[Push {
        column: "repository",
        tests: "all: of shards without such a repository nothing more is read",
    }],
    partition: "shards that follow each other.",
    question: "SELECT repository FROM code_repositories('shards') WHERE indexed_at < latest_commit_at",
    by_data: &[],
    fields: |_| Ok(FIELDS.to_vec()),
    split: by_shards,
    open,
};

const REPOSITORY: usize = 0;
const BRANCHES: usize = 4;
const DOCUMENTS: usize = 6;

static BRANCH: [Field; 2] =
    [Field::new("name", Kind::Text, ""), Field::new("version", Kind::Text, "")];

static BRANCH_ITEM: Field = Field::new("item", Kind::Struct(Held::Static(&BRANCH)), "").or_null();

static FIELDS: &[Field] = &[
    Field::new("repository", Kind::Word, "Its name."),
    Field::new("repository_id", Kind::Int, "Its number, 0 if it was given none."),
    Field::new("url", Kind::Text, "Its address.").or_null(),
    Field::new("source", Kind::Text, "The folder that it was indexed from.").or_null(),
    Field::new(
        "branches",
        Kind::List(Held::Static(&BRANCH_ITEM)),
        "Its branches, with the commits.",
    ),
    Field::new("rank", Kind::Int, "Its rank, up to 65,535."),
    Field::new("documents", Kind::Int, "Documents that the shard has of it, dead ones too."),
    Field::new("content_bytes", Kind::Int, "Bytes of their contents and names."),
    Field::new("index_bytes", Kind::Int, "Its share of the shard's bytes."),
    Field::new("has_symbols", Kind::Boolean, "Whether its symbols were indexed."),
    Field::new("is_tombstoned", Kind::Boolean, "Whether it counts as removed."),
    Field::new("indexed_at", Kind::Micros, "When the shard was made.").or_null(),
    Field::new("latest_commit_at", Kind::Micros, "When its latest commit was made.").or_null(),
    Field::new("format_version", Kind::Int, "16 in a shard of one, 17 in one of several."),
    Field::new("shard", Kind::Word, "Name of the shard's file."),
];

fn open(arguments: &Arguments, part: &Json, question: &mut Question) -> Result<Job, Failure> {
    let of_repository = OfRepository::of(question, REPOSITORY);
    let opened = opened(arguments, part)?;
    Ok(Box::new(move |rows, watch| {
        let (mut shards, mut count) = (opened.shards()?, 0);
        of_repository.narrow(&mut shards);
        for open in &shards {
            watch.check()?;
            count += 1;
            let (shares, metadata) = (repository_shares(open)?, open.shard().metadata());
            let name = open.path().file_name().unwrap_or_default().to_string_lossy();
            for (repository, share) in open.shard().repositories().iter().zip(shares) {
                push(rows, repository);
                let lens = [share.documents, share.content_len, share.index_len];
                (DOCUMENTS..).zip(lens).for_each(|(at, len)| rows.count(at, len));
                push_time(rows, 11, &metadata.index_time);
                rows.count(13, metadata.index_format_version.into());
                rows.text(14, &name);
                if rows.end_row().is_break() {
                    return Ok(vec![("shards", count)]);
                }
            }
        }
        Ok(vec![("shards", count)])
    }))
}

fn push(rows: &mut Rows<'_>, repository: &Repository) {
    rows.text(REPOSITORY, &repository.name.to_string());
    rows.count(1, repository.id.into());
    for (at, text) in [(2, &*repository.url), (3, &*repository.source.to_string())] {
        if !text.is_empty() {
            rows.text(at, text);
        }
    }
    if let Some(column) = rows.column(BRANCHES) {
        column.list(|items| {
            for branch in repository.branches.iter().flatten() {
                items.parts(|parts| {
                    let texts = [&branch.name, &branch.version];
                    parts.iter_mut().zip(texts).for_each(|(part, text)| part.text(text));
                });
            }
        });
    }
    rows.count(5, repository.rank.into());
    rows.boolean(9, repository.has_symbols);
    rows.boolean(10, repository.tombstone);
    push_time(rows, 12, &repository.latest_commit_date);
}

/// Pushes a time; the year 1, which Go takes for none, lacks.
fn push_time(rows: &mut Rows<'_>, at: usize, text: &str) {
    if let Some(time) = micros_of_rfc_3339(text).filter(|_| !text.starts_with("0001-01-01")) {
        rows.int(at, time);
    }
}
