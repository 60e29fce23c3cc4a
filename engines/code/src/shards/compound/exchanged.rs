//! New shards written in the place of others, and made visible together.

use std::collections::BTreeMap;
use std::path::Path;

use manicule_core::watch::{Meter, Phase, Unit, Watch};
use manicule_format_zoekt::Repository;
use manicule_store::SharedFiles;
use manicule_store::context::Context;

use super::super::exchange::Exchange;
use super::super::family::{ENDING, Family};
use super::super::index::{About, Document, Lease, Repositories, Writer};
use super::error::CompoundError;
use super::{CompoundOptions, NewShard, ShardsReport};

/// The shards of a folder that are being exchanged for others.
pub(super) struct Exchanged<'e> {
    folder: &'e Path,
    files: &'e SharedFiles,
    options: &'e CompoundOptions,
    exchange: Exchange,
    /// The right to write each of the repositories that come or go.
    leases: BTreeMap<String, Lease>,
    /// Prefixes of the new shards.
    written: Vec<String>,
    report: ShardsReport,
}

impl<'e> Exchanged<'e> {
    /// `compound` is the prefix of the compound shard that comes or goes.
    pub(super) fn begin(
        folder: &'e Path,
        compound: &str,
        files: &'e SharedFiles,
        options: &'e CompoundOptions,
    ) -> Self {
        let exchange = Exchange::new(folder, compound);
        let (leases, report) = (BTreeMap::new(), ShardsReport::default());
        Exchanged { folder, files, options, exchange, leases, written: Vec::new(), report }
    }

    fn lease(&mut self, family: &Family) -> Result<&mut Lease, CompoundError> {
        if !self.leases.contains_key(&family.prefix) {
            let lease = family.lease(self.files).map_err(CompoundError::output(self.folder))?;
            let busy = || CompoundError::Busy { folder: self.folder.to_owned() };
            self.leases.insert(family.prefix.clone(), lease.ok_or_else(busy)?);
        }
        Ok(self.leases.get_mut(&family.prefix).expect("it was just put there"))
    }

    /// Says that a shard goes, and keeps others from writing it.
    pub(super) fn remove(&mut self, path: &Path) -> Result<(), CompoundError> {
        let family = Family::of(path).ok_or_else(|| CompoundError::NoShard(path.to_owned()))?.0;
        let family = Family::with_prefix(self.folder, &family.prefix);
        self.lease(&family)?;
        let name = path.file_name().and_then(|name| name.to_str()).expect("a shard has a name");
        self.exchange.removed.push(name.to_owned());
        self.report.replaced.push(path.to_owned());
        Ok(())
    }

    /// Writes the first shard of a family.
    pub(super) fn write(
        &mut self,
        family: &Family,
        repositories: Repositories<'_>,
        documents: &[&Document],
        meter: &Meter<'_>,
    ) -> Result<(), CompoundError> {
        let (options, folder) = (self.options, self.folder);
        let held = Context::current().hold(options.memory);
        let _held = held.map_err(CompoundError::Memory)?;
        let lease = self.lease(family)?;
        let spill = lease.spill().map_err(CompoundError::output(folder))?;
        let (aside, file) = lease.file(0).map_err(CompoundError::output(folder))?;
        let about = About {
            repositories,
            index_time: &options.index_time,
            id: "",
            zoekt_version: &options.zoekt_version,
        };
        let (threads, memory) = (options.threads, options.memory);
        let mut writer = Writer { about, spill: &spill, threads, memory, meter, grams: Vec::new() };
        let written = writer.write(&file, documents).map_err(CompoundError::write(&aside))?;
        file.sync().map_err(CompoundError::output(&aside))?;
        let path = family.path(0, ENDING);
        let name = path.file_name().and_then(|name| name.to_str()).expect("it was made of text");
        self.exchange.added.push(name.to_owned());
        self.written.push(family.prefix.clone());
        let repositories: &[Repository] = match repositories {
            Repositories::One(repository) => std::slice::from_ref(repository),
            Repositories::Several(repositories) => repositories,
        };
        self.report.shards.push(NewShard {
            path,
            len: written.len,
            document_count: documents.len() as u64,
            repositories: repositories.iter().map(|one| one.name.clone()).collect(),
        });
        Ok(())
    }

    /// Makes the new shards the index in the place of those that go.
    pub(super) fn publish(mut self, watch: &Watch<'_>) -> Result<ShardsReport, CompoundError> {
        watch.check().map_err(|_| CompoundError::Stopped)?;
        let syncing = watch.endless(Phase::Syncing, Unit::Bytes);
        let put = self.exchange.put(self.files);
        // One whose last sync failed is there too: the shards that it speaks of must stay.
        if self.exchange.path().exists() {
            let written = std::mem::take(&mut self.written);
            written.iter().filter_map(|prefix| self.leases.remove(prefix)).for_each(Lease::leave);
        }
        let output = CompoundError::output;
        put.map_err(output(self.folder))?;
        Exchange::finish_all(self.folder, self.files).map_err(output(self.folder))?;
        syncing.end();
        Ok(self.report)
    }

    /// Notes a repository that is in none of the new shards.
    pub(super) fn leave_out(&mut self, repository: &Repository) {
        self.report.left_out.push(repository.name.clone());
    }
}

/// Prefix of a shard's name, without number and ending.
pub(super) fn prefix_of(path: &Path) -> Result<String, CompoundError> {
    let family = Family::of(path).ok_or_else(|| CompoundError::NoShard(path.to_owned()))?;
    Ok(family.0.prefix)
}
