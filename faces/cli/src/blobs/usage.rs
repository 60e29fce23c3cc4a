//! `manicule blobs usage`: how much of a repository is used, and what a prune would free.

use std::io::Write;

use anyhow::Result;
use manicule::answer::{Test, Value};
use manicule::blobs::json::{PlannedPack, PruneTotals, UnreferencedPack};
use manicule::blobs::prune::{Amount, Fate, PruneOptions, PrunePlan, UnusedMax};
use manicule::blobs::{Ahead, Repository};
use manicule::sizes::bytes;

use super::repo::{Repo, with_index};
use crate::command::flag::set;
use crate::command::spec::spec;
use crate::command::{Command, Declared, Does, Flag, Help, Usage, exit, shared};
use crate::print::{Print, Reader};
use crate::progress::{Signals, watched};
use crate::table::format::Sheet;
use crate::table::listed::{Listed, with_sheet};
use crate::units::{counted, human_len};

pub(super) static COMMAND: Command = Command {
    name: "usage",
    operands: "",
    summary: "show used and unused bytes, pack by pack, and what a prune would free",
    help: Help {
        calls: &[Usage {
            words: "[OPTIONS]",
            about: "\
Shows how many bytes are used, unused and stored twice, and what `restic prune` would do with these options: the decisions of
version 0.19.1. Nothing is written. --packs lists every pack that would change, --all-packs every pack; with --format or --output
the packs alone are listed, every pack unless --packs is given.",
        }],
        notes: "\
If a blob is stored several times, restic picks a copy at random, and two runs differ; manicule uses the first in the order of the
index files' ids.",
        exit: "0 when a prune has something to do, 1 when it has nothing, 2 when it would fail or something failed.",
    },
    does: Does::Job(&JOB),
};

static JOB: Declared<Options> = Declared::of(FLAGS, Ok, Reader::Needed, answer).at_addresses();

static FLAGS: &[Flag<Options>] = with_sheet!(with_index![
    spec("max-unused", "", "Unused bytes to tolerate: 5%, 1.5G or unlimited.")
        .takes("LIMIT")
        .more("Default: 5%.")
        .does(set!(|o, value| o.max_unused = Some(unused_max(value.text()?)?))),
    spec("max-repack-size", "", "Maximum bytes of packs to repack.")
        .takes("SIZE")
        .does(set!(|o, value| o.max_repack = Some(value.size()?))),
    spec("repack-cacheable-only", "", "Repack only packs of trees.")
        .sets(|o| &mut o.only_trees),
    spec("repack-uncompressed", "", "Repack packs with uncompressed blobs.")
        .sets(|o| &mut o.uncompressed),
    spec("repack-smaller-than", "", "Treat packs below SIZE as small.")
        .takes("SIZE")
        .more(
            "Default: 80 % of the size below which 3 % of all packs are, or of 4 MiB if that is more."
        )
        .does(set!(|o, value| o.small_below = Some(value.size()?))),
    spec("packs", "", "List the packs that would be removed or repacked.").sets(|o| &mut o.packs),
    spec("all-packs", "", "List every pack.").sets(|o| &mut o.all_packs),
    shared::JSON.more("The last object, of type summary, has restic's fields.").sets(|o| &mut o.json),
]);

#[derive(Default)]
struct Options {
    repo: Repo,
    max_unused: Option<UnusedMax>,
    max_repack: Option<u64>,
    only_trees: bool,
    uncompressed: bool,
    small_below: Option<u64>,
    packs: bool,
    all_packs: bool,
    json: bool,
    sheet: Sheet,
}

fn unused_max(text: &str) -> Result<UnusedMax> {
    match text.parse() {
        Ok(unused_max) => Ok(unused_max),
        // Bytes have units here.
        Err(_) if !text.ends_with('%') => Ok(UnusedMax::Bytes(bytes(text)?)),
        Err(why) => Err(why.into()),
    }
}

/// The packs as a table.
fn listed(options: &Options) -> Result<Listed> {
    let listed = options.repo.listed("blobs.packs")?;
    let listed = listed
        .with("max_unused", options.max_unused)
        .with("max_repack_size", options.max_repack)
        .with("repack_cacheable_only", options.only_trees.then_some(true))
        .with("repack_uncompressed", options.uncompressed.then_some(true))
        .with("repack_smaller_than", options.small_below)
        .all_dear()
        .refuse(&[("--json", options.json)]);
    if options.packs && !options.all_packs {
        let kept = Test::In(vec![Value::Text(Fate::Keep.word().to_owned())]);
        return Ok(listed.tested("fate", Test::Not(Box::new(kept))));
    }
    Ok(listed)
}

fn answer(options: &Options, out: &mut Print) -> Result<u8> {
    if !options.sheet.is_plain() {
        return listed(options)?.print(&options.sheet, out);
    }
    options.repo.ask(Ahead::Index, out, |open, out| answer_of(options, open, out))
}

fn answer_of(options: &Options, open: &Repository, out: &mut Print) -> Result<u8> {
    let default = PruneOptions::of_restic(open.version());
    let asked = PruneOptions {
        unused_max: options.max_unused.unwrap_or(default.unused_max),
        repack_bytes_max: options.max_repack,
        only_trees: options.only_trees,
        uncompressed: options.uncompressed,
        small_below: options.small_below,
        ..default
    };
    let (index, plan) = watched(options.repo.show(), Signals::Noted, |watch| {
        let snapshots = open.snapshots(watch)?;
        let index = open.index(watch)?;
        let plan = open.plan_prune(&snapshots, &index, &asked, watch)?;
        Ok::<_, anyhow::Error>((index, plan))
    })?;
    out.in_pages();
    if options.packs || options.all_packs {
        for row in &plan.packs {
            if row.fate == Fate::Keep && !options.all_packs {
                continue;
            }
            let planned = PlannedPack { row, index: &index };
            if options.json {
                out.report("pack", planned)?
            } else {
                let (pack, fate) = (index.pack(row.pack).id, planned.fate());
                let (used, unused) = (human_len(row.used_bytes), human_len(row.unused.bytes));
                writeln!(out, "{pack} {fate}: used {used}, unused {unused}")?
            }
        }
        for file in &plan.unreferenced {
            if options.json {
                out.report("pack", UnreferencedPack(file))?
            } else {
                writeln!(out, "{} unreferenced: {}", file.id, human_len(file.len))?
            }
        }
    }
    if options.json {
        out.line(&plan)?
    } else {
        out.write_all(as_text(&plan).as_bytes())?
    }
    Ok(exit::if_any(does_something(&plan)))
}

fn does_something(plan: &PrunePlan) -> bool {
    let is_kept = |fate: Fate| fate == Fate::Keep;
    !plan.unreferenced.is_empty() || plan.packs.iter().any(|row| !is_kept(row.fate))
}

fn as_text(plan: &PrunePlan) -> String {
    let (sums, totals) = (&plan.sums, PruneTotals::of(plan));
    let amount =
        |amount: Amount| format!("{}, {}", counted(amount.blobs, "blob"), human_len(amount.bytes));
    let packs = |count: u64| counted(count, "pack");
    let mut rows = vec![
        ("used", amount(sums.used)),
        ("stored twice", amount(sums.duplicate)),
        ("unused", amount(sums.unused)),
        (
            "in packs outside the index",
            format!("{}, {}", packs(sums.packs_unreferenced), human_len(sums.unreferenced_bytes)),
        ),
        ("in all", amount(totals.total)),
        ("would be repacked", format!("{}, {}", packs(totals.repack), amount(sums.repack))),
        ("which removes", amount(sums.repack_remove)),
        ("would be removed", format!("{}, {}", packs(totals.remove), amount(sums.remove))),
        ("would be freed", amount(totals.removed)),
        ("would remain", amount(totals.remaining)),
        ("unused of that", human_len(totals.remaining_unused)),
        (
            "packs used, partly, not",
            format!("{}, {}, {}", sums.packs_used, sums.packs_partly_used, sums.packs_unused),
        ),
    ];
    if sums.uncompressed_bytes > 0 {
        rows.push(("not compressed", human_len(sums.uncompressed_bytes)));
    }
    let width = rows.iter().map(|(what, _)| what.len()).max().unwrap_or(0);
    rows.iter().map(|(what, value)| format!("{what:width$}  {value}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_below_all_and_sizes_are_bytes() {
        for (text, want) in [
            ("5%", UnusedMax::Share(500)),
            ("0.29%", UnusedMax::Share(29)),
            ("99.999%", UnusedMax::Share(9_999)),
            ("0", UnusedMax::Bytes(0)),
            ("unlimited", UnusedMax::Unlimited),
        ] {
            assert_eq!(unused_max(text).unwrap(), want, "{text}");
        }
        for wrong in ["100%", "-1%", "NaN%", "%", "", "many"] {
            assert!(unused_max(wrong).is_err(), "{wrong}");
        }
    }
}
