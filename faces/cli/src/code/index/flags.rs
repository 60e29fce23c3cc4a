//! Flags of `manicule code index` and `manicule code git-index`: zoekt's, in Go's spelling, and
//! some of ours.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use manicule::code::git::Delta;
use manicule::code::index::{
    INDEX_MEMORY_MIN, InCompound, IndexTime, ShardId, Unchanged, default_output,
};
use manicule::code::{GitIndexCall, Symbols};

use crate::command::flag::set;
use crate::command::spec::{Group, Spec, spec};
use crate::command::{Flag, FlagValue, shared};
use crate::print::Form;

const ZOEKT: Group = Group(
    "Options of zoekt, with one dash or two, as -option value or -option=value; 0 means the default:",
);
const OURS: Group = Group("Ours:");

pub(super) const fn zoekt(long: &'static str, help: &'static str) -> Spec {
    spec(long, "", help).within(ZOEKT).with_one_dash()
}

pub(super) const fn ours(long: &'static str, help: &'static str) -> Spec {
    spec(long, "", help).within(OURS)
}

pub(super) const INDEX: Flag<Options> =
    zoekt("index", "Write the shards to FOLDER. Default: ~/.zoekt.").takes("FOLDER").does(
        |o, value| {
            o.call.index.output = value.path();
            o.has_output = true;
            Ok(())
        },
    );

pub(super) const FILE_LIMIT: Flag<Options> =
    zoekt("file_limit", "Store longer files without contents. Default: 2097152.")
        .takes("BYTES")
        .does(set!(|o, value| unless_zero(&value, &mut o.call.index.limits.size_max)?));

pub(super) const LARGE_FILE: Flag<Options> =
    zoekt("large_file", "Store these with contents, whatever their size.")
        .takes("GLOB")
        .more("May be repeated; !GLOB excludes again.")
        .does(set!(|o, value| o.call.index.large_files.push(value.string()?)));

pub(super) const MAX_TRIGRAM_COUNT: Flag<Options> = zoekt(
    "max_trigram_count",
    "Store files with more distinct trigrams without contents. Default: 20000.",
)
.takes("NUM")
.does(set!(|o, value| unless_zero(&value, &mut o.call.index.limits.trigrams_max)?));

pub(super) const IGNORE_DIRS: Flag<Options> =
    zoekt("ignore_dirs", "Skip these folders, comma-separated. Default: .git,.hg,.svn.")
        .takes("LIST")
        .does(set!(|o, value| o.call.index.ignore_dirs = value.string()?));

pub(super) const SHARD_LIMIT: Flag<Options> =
    zoekt("shard_limit", "Close a shard when names and contents are longer. Default: 104857600.")
        .takes("BYTES")
        .does(set!(|o, value| unless_zero(&value, &mut o.call.index.shard_len_max)?));

pub(super) const SHARD_PREFIX_OVERRIDE: Flag<Options> =
    zoekt("shard_prefix_override", "Use TEXT instead of the repository's name in shard names.")
        .takes("TEXT")
        .does(set!(
            |o, value| o.call.index.shard_prefix = value.value.filter(|prefix| !prefix.is_empty())
        ));

pub(super) const META: Flag<Options> =
    zoekt("meta", "Description of the repository, in JSON; for one DIR only.").takes("FILE").does(
        set!(
            |o, value| o.call.index.meta = Some(value.path()).filter(|meta| *meta != Path::new(""))
        ),
    );

pub(super) const PARALLELISM: Flag<Options> =
    zoekt("parallelism", "Number of threads. Default: the number of cores.")
        .takes("NUM")
        .more("Same as --threads.")
        .does(set!(|o, value| o.call.index.threads = value.threads()?));

pub(super) const DISABLE_CTAGS: Flag<Options> =
    zoekt("disable_ctags", "Find no symbols. Same as --ctags off.").does(set!(|o, value| {
        if value.on {
            o.call.index.symbols = Symbols::Off;
        } else if o.call.index.symbols == Symbols::Off {
            o.call.index.symbols = Symbols::WhereFound;
        }
    }));

pub(super) const REQUIRE_CTAGS: Flag<Options> =
    zoekt("require_ctags", "Fail if symbols can't be found. Same as --ctags require.")
        .does(set!(|o, value| o.call.index.symbols_required = value.on));

pub(super) const SHARD_MERGING: Flag<Options> =
    zoekt("shard_merging", "Give DIR a tombstone in compound shards of FOLDER that hold it.")
        .does(set!(|o, value| o.call.index.in_compound =
            if value.on { InCompound::GetsTombstone } else { InCompound::Stays }));

pub(super) const MEMORY: Flag<Options> = shared::MEMORY
    .within(OURS)
    .more("Default: 1GiB. Minimum: 64MiB.")
    .does(set!(|o, value| o.call.index.memory = value.size()?.max(INDEX_MEMORY_MIN)));

pub(super) const THREADS: Flag<Options> =
    shared::THREADS.within(OURS).does(set!(|o, value| o.call.index.threads = value.threads()?));

pub(super) const CTAGS: Flag<Options> = ours("ctags", "Find symbols with this universal-ctags.")
        .takes("PATH|off|require")
        .more("off finds none; require fails if there is none, or if it fails on a file. Default: what CTAGS_COMMAND names, or \
               universal-ctags or ctags-universal in PATH, if there.")
        .does(ctags);

pub(super) const FORCE: Flag<Options> =
    ours("force", "Write the shards even if nothing has changed.")
        .more("Symbols are looked for again too.")
        .does(set!(|o, value| o.call.index.unchanged =
            if value.on { Unchanged::IsWrittenAgain } else { Unchanged::Stays }));

pub(super) const INDEX_TIME: Flag<Options> =
    ours("index-time", "Index time to record, such as 2026-01-31T12:00:00Z. Default: now.")
        .takes("TIME")
        .does(set!(|o, value| o.call.index.index_time = Some(index_time(&value)?)));

pub(super) const SHARD_ID: Flag<Options> =
    ours("shard-id", "Id of the run: 20 digits of 0-9a-v. Default: a new one.")
        .takes("ID")
        .does(set!(|o, value| o.call.index.shard_id = Some(shard_id(&value)?)));

pub(super) const SOURCE: Flag<Options> = ours("source", "Source to record. Default: DIR as given.")
    .takes("TEXT")
    .does(set!(|o, value| o.call.index.source = value.value));

pub(super) const ZOEKT_VERSION: Flag<Options> =
    ours("zoekt-version", "Version of zoekt to record. Default: none.")
        .takes("TEXT")
        .does(set!(|o, value| o.call.index.zoekt_version = value.string()?));

pub(super) const JSON: Flag<Options> = shared::JSON
    .within(OURS)
    .here("Print one JSON object per line: one for each shard, then a summary.")
    .does(set!(|o, value| o.set_form(Form::Json, value.on)));

pub(super) const QUIET: Flag<Options> =
    shared::QUIET.within(OURS).does(set!(|o, value| o.set_form(Form::Nothing, value.on)));

/// Options of `code index` and `code git-index`.
pub(super) struct Options {
    /// What holds for every folder; its own folder is to be filled in.
    pub(super) call: GitIndexCall,
    has_output: bool,
    pub(super) folders: Vec<PathBuf>,
    pub(super) form: Form,
    /// Number of shards up to which what has changed is added to them; 0 is any number.
    pub(super) delta_shards_max: u64,
}

impl Default for Options {
    fn default() -> Options {
        let output = default_output();
        let has_output = output.is_some();
        let call = GitIndexCall::new(PathBuf::new(), output.unwrap_or_default());
        Options { call, has_output, folders: Vec::new(), form: Form::Text, delta_shards_max: 0 }
    }
}

impl Options {
    /// Sets the form, or takes it back if it is that one.
    fn set_form(&mut self, form: Form, on: bool) {
        if on {
            self.form = form;
        } else if self.form == form {
            self.form = Form::Text;
        }
    }
}

/// Sets a limit to a number; 0 leaves it as it is.
fn unless_zero<N: FromStr + Default + PartialEq>(value: &FlagValue, limit: &mut N) -> Result<()> {
    let number: N = value.number()?;
    if number != N::default() {
        *limit = number;
    }
    Ok(())
}

fn ctags(options: &mut Options, value: FlagValue) -> Result<()> {
    let call = &mut options.call.index;
    let path = value.path();
    match path.to_str() {
        Some("") => bail!("{} is the path of a program, off or require", value.name),
        Some("off") => call.symbols = Symbols::Off,
        Some("require") => (call.symbols, call.symbols_required) = (Symbols::WhereFound, true),
        _ => call.symbols = Symbols::By(path),
    }
    Ok(())
}

pub(crate) fn index_time(value: &FlagValue) -> Result<IndexTime> {
    let (name, text) = (value.name, value.text()?);
    IndexTime::parse(text)
        .with_context(|| format!("{name} {text:?} is no time such as 2026-01-31T12:00:00.5Z"))
}

fn shard_id(value: &FlagValue) -> Result<ShardId> {
    let (name, text) = (value.name, value.text()?);
    ShardId::parse(text).with_context(|| {
        format!("{name} {text:?} is no id: 20 digits of 0-9a-v, the last one 0 or g")
    })
}

pub(super) fn finish(mut options: Options) -> Result<Options> {
    if let Delta::UpTo(shards_max) = &mut options.call.delta {
        *shards_max = options.delta_shards_max;
    }
    if options.folders.len() > 1 && options.call.index.meta.is_some() {
        bail!("-meta describes one repository: name one folder, and call again for the others");
    }
    if !options.has_output {
        bail!("HOME is not set: say with -index where the shards go");
    }
    Ok(options)
}
