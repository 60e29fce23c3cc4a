//! Golden tables rebuilt from their data: every component has the bytes that Cassandra gave it.

use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_format_sstable::{Component, Descriptor, read_toc};
use manicule_rows::RowsError;
use manicule_rows::table::{Access, Listed, list_all};
use manicule_rows::write::{RebuildOptions, Target, Written, rebuild};
use manicule_store::Disk;
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading};
use tempfile::TempDir;

use crate::golden::support::{Golden, options};

/// Memory that a rebuild may hold: two windows.
const MEMORY_BYTES: u64 = 4 << 20;

fn rebuilt(listed: &Listed, target: &Path, block_len: u64) -> Result<Written, RowsError> {
    let (mut counts, budget) = (ReadCounts::default(), Budget::new(MEMORY_BYTES));
    let mut reading = Reading { counts: &mut counts, budget: &budget };
    let generation = listed.descriptor.generation_number();
    let (files, folder) = (Disk::shared(), target.to_owned());
    let target = Target { files, folder, generation, is_dry: false };
    let wanted = RebuildOptions { filter_chance: None, block_len, index_interval: None };
    let options = options(Access::Mapped);
    rebuild(listed, &target, &wanted, &options, &mut reading, &Watch::none())
}

/// The data of an SSTable and what it can't be read without, and the rest left out.
fn bare(listed: &Listed) -> (TempDir, Listed) {
    let folder = tempfile::tempdir().unwrap();
    for component in [Component::Data, Component::Statistics, Component::CompressionInfo] {
        let path = listed.path(&component);
        if path.exists() {
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    let listed = list_all(folder.path()).unwrap().remove(0);
    (folder, listed)
}

fn component_names(folder: &Path, descriptor: &Descriptor) -> Vec<String> {
    let toc = fs::read(folder.join(descriptor.file_name(&Component::Toc))).unwrap();
    let mut names: Vec<String> =
        read_toc(&toc).unwrap().iter().map(|component| component.name().to_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_component_has_the_bytes_of_cassandra() {
    let (mut tables, mut components, mut refused) = (0, 0, 0);
    for folder in Golden::new().folders() {
        // The only table whose blocks are not of the default length.
        let block_len = if folder.ends_with("narrow") { 1 << 10 } else { 64 << 10 };
        for listed in list_all(&folder).unwrap() {
            let descriptor = &listed.descriptor;
            let title = format!("{} {descriptor}", folder.display());
            let (_bare, source) = bare(&listed);
            let target = tempfile::tempdir().unwrap();
            match rebuilt(&source, target.path(), block_len) {
                Err(RowsError::Unsupported { .. }) if descriptor.version.has_short_deletions() => {
                    refused += 1;
                    continue;
                }
                written => drop(written.unwrap_or_else(|error| panic!("{title}: {error}"))),
            }
            let names = component_names(target.path(), descriptor);
            let mut there: Vec<String> = fs::read_dir(target.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            there.sort();
            let files: Vec<String> =
                names.iter().map(|name| descriptor.file_name(&Component::of_name(name))).collect();
            assert_eq!(there, files, "{title}");
            if listed.path(&Component::Toc).exists() {
                assert_eq!(names, component_names(&folder, descriptor), "{title}");
            }
            for name in &names {
                let component = Component::of_name(name);
                let want = listed.path(&component);
                // Some golden tables are kept with their data alone.
                if component == Component::Toc || !want.exists() {
                    continue;
                }
                let got = fs::read(target.path().join(descriptor.file_name(&component))).unwrap();
                let want = fs::read(want).unwrap();
                let place = got.iter().zip(&want).position(|(got, want)| got != want);
                assert!(got == want, "{title}: {name} at {place:?} of {}", want.len());
                components += 1;
            }
            tables += 1;
        }
    }
    println!(
        "{tables} tables, {components} components, {refused} of versions that are not written"
    );
    assert!(tables > 15 && components > 100 && refused > 5);
}
