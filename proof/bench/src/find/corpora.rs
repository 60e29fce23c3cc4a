//! The trees that are searched, fetched from public package registries when they are missing.
//!
//! * k8s-full: Kubernetes with its 29 staging modules, which the registry of Go modules serves
//!   one by one; laid out as in the project's own repository, `staging/src/MODULE`.
//! * linux: the kernel sources that Debian packs.
//!
//! Callers: find/mod

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::machine::which;

const K8S_VERSION: &str = "v1.34.1";
const STAGING_VERSION: &str = "v0.34.1";

/// The modules below `k8s.io/` that the root module requires at v0.0.0.
const STAGING: &[&str] = &[
    "api",
    "apiextensions-apiserver",
    "apimachinery",
    "apiserver",
    "cli-runtime",
    "client-go",
    "cloud-provider",
    "cluster-bootstrap",
    "code-generator",
    "component-base",
    "component-helpers",
    "controller-manager",
    "cri-api",
    "cri-client",
    "csi-translation-lib",
    "dynamic-resource-allocation",
    "endpointslice",
    "externaljwt",
    "kms",
    "kube-aggregator",
    "kube-controller-manager",
    "kube-proxy",
    "kube-scheduler",
    "kubectl",
    "kubelet",
    "metrics",
    "mount-utils",
    "pod-security-admission",
    "sample-apiserver",
];

/// A tree to search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Corpus {
    /// Kubernetes with its staging modules: 21,662 files, 173 MB.
    K8sFull,
    /// Linux 6.1 as Debian packs it: 78,560 files, 1.3 GB.
    Linux,
}

impl Corpus {
    /// Its folder and its name in the tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Corpus::K8sFull => "k8s-full",
            Corpus::Linux => "linux",
        }
    }
}

/// The tree below `folder`, fetched when it isn't there.
pub(super) fn get(corpus: Corpus, folder: &Path) -> Result<PathBuf> {
    let short = if corpus == Corpus::K8sFull { "k8s" } else { "linux" };
    for name in [corpus.name(), short] {
        if folder.join(name).is_dir() {
            return Ok(folder.join(name));
        }
    }
    // Fetched aside and renamed, so that a fetch cut short isn't taken for the tree.
    let tree = folder.join(corpus.name());
    let part = folder.join(format!("{}.part", corpus.name()));
    if part.exists() {
        fs::remove_dir_all(&part)?;
    }
    fs::create_dir_all(&part)?;
    eprintln!("fetching {} ...", corpus.name());
    match corpus {
        Corpus::K8sFull => fetch_k8s(&part)?,
        Corpus::Linux => fetch_linux(&part)?,
    }
    run(Command::new("git").args(["init", "--quiet"]).current_dir(&part))?;
    fs::rename(&part, &tree)?;
    Ok(tree)
}

/// One answer of `go mod download -json`.
#[derive(Deserialize)]
struct Module {
    #[serde(rename = "Path")]
    path: String,
    #[serde(rename = "Dir")]
    folder: Option<PathBuf>,
    #[serde(rename = "Error")]
    error: Option<String>,
}

fn fetch_k8s(tree: &Path) -> Result<()> {
    if which("go").is_none() {
        bail!("no `go` to fetch modules with (Debian: golang-go)");
    }
    let root = format!("k8s.io/kubernetes@{K8S_VERSION}");
    let staging = STAGING.iter().map(|name| format!("k8s.io/{name}@{STAGING_VERSION}"));
    // Outside of a module, so that no go.mod of the caller has a say.
    let outside = tree.with_extension("go");
    fs::create_dir_all(&outside)?;
    let output = Command::new("go")
        .args(["mod", "download", "-json"])
        .args(std::iter::once(root).chain(staging))
        .current_dir(&outside)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    fs::remove_dir_all(&outside)?;
    for module in serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Module>() {
        let module = module.context("reading what `go mod download -json` says")?;
        if let Some(error) = module.error {
            bail!("{}: {error}", module.path);
        }
        let source = module.folder.with_context(|| format!("{} has no folder", module.path))?;
        let target = match module.path.as_str() {
            "k8s.io/kubernetes" => tree.to_owned(),
            path => tree.join("staging/src").join(path),
        };
        copy_plain(&source, &target)?;
    }
    if !output.status.success() || !tree.join("staging/src/k8s.io/api").is_dir() {
        bail!("`go mod download` ended with {}", output.status);
    }
    Ok(())
}

/// Copies contents without modes: the module cache is read-only.
fn copy_plain(source: &Path, target: &Path) -> Result<()> {
    fs::create_dir_all(target)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let to = target.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_plain(&entry.path(), &to)?;
        } else {
            io::copy(&mut File::open(entry.path())?, &mut File::create(&to)?)?;
        }
    }
    Ok(())
}

fn fetch_linux(tree: &Path) -> Result<()> {
    for tool in ["apt-get", "dpkg-deb", "tar", "xz"] {
        if which(tool).is_none() {
            bail!("no `{tool}`: the kernel sources come as a package of Debian");
        }
    }
    let aside = tree.with_extension("deb");
    if aside.exists() {
        fs::remove_dir_all(&aside)?;
    }
    fs::create_dir_all(&aside)?;
    run(Command::new("apt-get").args(["download", "linux-source-6.1"]).current_dir(&aside))?;
    let package = fs::read_dir(&aside)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|ext| ext == "deb"))
        .context("`apt-get download` left no package")?;
    run(Command::new("dpkg-deb").arg("-x").arg(&package).arg(aside.join("x")))?;
    let packed = aside.join("x/usr/src/linux-source-6.1.tar.xz");
    run(Command::new("tar")
        .arg("-xJf")
        .arg(&packed)
        .args(["--strip-components=1", "-C"])
        .arg(tree))?;
    fs::remove_dir_all(&aside)?;
    let rules = tree.join(".gitignore");
    fs::write(&rules, without_debian_rules(&fs::read_to_string(&rules)?))?;
    Ok(())
}

/// Debian's rules end in `/*` and `!/debian/`: with them every tool sees an empty tree.
fn without_debian_rules(rules: &str) -> String {
    let kept = rules.lines().filter(|line| !["/*", "!/debian/"].contains(line));
    kept.map(|line| format!("{line}\n")).collect()
}

fn run(command: &mut Command) -> Result<()> {
    // What the tools print is for people, and standard output is the report's.
    let status = command
        .stdin(Stdio::null())
        .stdout(io::stderr())
        .status()
        .with_context(|| format!("{:?}", command.get_program()))?;
    if !status.success() {
        bail!("{:?} ended with {status}", command.get_program());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rules_of_debian_go() {
        let rules = "*.o\n/*.tar\n!/debian\n/*\n!/debian/\n";
        assert_eq!(without_debian_rules(rules), "*.o\n/*.tar\n!/debian\n");
    }

    #[test]
    fn staging_is_whole_and_sorted() {
        assert_eq!(STAGING.len(), 29);
        assert!(STAGING.is_sorted());
    }

    #[test]
    fn answers_of_go_are_read() {
        let text =
            r#"{"Path":"k8s.io/api","Version":"v0.34.1","Dir":"/m"} {"Path":"b","Error":"no"}"#;
        let modules: Vec<Module> =
            serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().unwrap();
        assert_eq!(modules[0].folder.as_deref(), Some(Path::new("/m")));
        assert_eq!(modules[1].error.as_deref(), Some("no"));
    }
}
