//! The trees that are indexed and searched, fetched from public package registries when they are
//! missing.
//!
//! * kubernetes: the root module of Kubernetes, from the registry of Go modules.
//! * k8s-full: the same with its 29 staging modules, which the registry serves one by one; laid
//!   out as in the project's own repository, `staging/src/MODULE`.
//! * gosrc: the sources of a release of Go, which is a module too.
//! * linux: the kernel sources that Debian packs; linux-sub: some of its folders.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
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

/// The release whose sources are gosrc.
const GO_VERSION: &str = "go1.26.8";

/// The folders of Linux in linux-sub.
const LINUX_SUB: &[&str] =
    &["fs", "kernel", "include", "mm", "net", "lib", "drivers/net", "drivers/usb", "drivers/scsi"];

/// A tree that a registry can give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// Kubernetes' root module: 8,338 files, 81 MB.
    Kubernetes,
    /// Kubernetes with its staging modules: 21,787 files, 173 MB.
    K8sFull,
    /// The standard library, compiler and tools of Go: 11,478 files, 128 MB.
    GoSrc,
    /// Folders of Linux, nearly all C: 18,543 files, 310 MB.
    LinuxSub,
    /// Linux 6.1 as Debian packs it: 78,579 files, 1.3 GB.
    Linux,
}

impl Tree {
    /// All of them.
    pub(crate) const ALL: [Tree; 5] =
        [Tree::Kubernetes, Tree::K8sFull, Tree::GoSrc, Tree::LinuxSub, Tree::Linux];

    /// Its folder and its name in the tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Tree::Kubernetes => "kubernetes",
            Tree::K8sFull => "k8s-full",
            Tree::GoSrc => "gosrc",
            Tree::LinuxSub => "linux-sub",
            Tree::Linux => "linux",
        }
    }

    /// Another folder name under which an existing copy is used.
    fn other_name(self) -> Option<&'static str> {
        match self {
            Tree::K8sFull => Some("k8s"),
            Tree::Linux => Some("linux-6.1"),
            _ => None,
        }
    }
}

/// The tree below `folder`, fetched if it doesn't exist.
pub(crate) fn get(tree: Tree, folder: &Path) -> Result<PathBuf> {
    for name in std::iter::once(tree.name()).chain(tree.other_name()) {
        if folder.join(name).is_dir() {
            return Ok(folder.join(name));
        }
    }
    let whole_linux = match tree {
        Tree::LinuxSub => Some(get(Tree::Linux, folder)?),
        _ => None,
    };
    // Fetched aside and renamed, so that a fetch cut short isn't taken for the tree.
    let target = folder.join(tree.name());
    let part = folder.join(format!("{}.part", tree.name()));
    if part.exists() {
        fs::remove_dir_all(&part)?;
    }
    fs::create_dir_all(&part)?;
    eprintln!("fetching {} ...", tree.name());
    match tree {
        Tree::Kubernetes => fetch_kubernetes(&part)?,
        Tree::K8sFull => fetch_k8s_full(&part)?,
        Tree::GoSrc => fetch_go(&part)?,
        Tree::LinuxSub => {
            let whole = whole_linux.context("it was got above")?;
            for name in LINUX_SUB {
                copy_plain(&whole.join(name), &part.join(name))?;
            }
        }
        Tree::Linux => fetch_linux(&part)?,
    }
    // ripgrep heeds rules of a repository only.
    run(Command::new("git").args(["init", "--quiet"]).current_dir(&part))?;
    fs::rename(&part, &target)?;
    Ok(target)
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

fn fetch_kubernetes(tree: &Path) -> Result<()> {
    let modules = download(&[format!("k8s.io/kubernetes@{K8S_VERSION}")], tree)?;
    modules.iter().try_for_each(|(_, source)| copy_plain(source, tree))
}

fn fetch_k8s_full(tree: &Path) -> Result<()> {
    let root = format!("k8s.io/kubernetes@{K8S_VERSION}");
    let staging = STAGING.iter().map(|name| format!("k8s.io/{name}@{STAGING_VERSION}"));
    let wanted: Vec<String> = std::iter::once(root).chain(staging).collect();
    for (path, source) in download(&wanted, tree)? {
        let target = match path.as_str() {
            "k8s.io/kubernetes" => tree.to_owned(),
            path => tree.join("staging/src").join(path),
        };
        copy_plain(&source, &target)?;
    }
    if !tree.join("staging/src/k8s.io/api").is_dir() {
        bail!("`go mod download` left modules out");
    }
    Ok(())
}

/// A release of Go is a module too; the go command unpacks it with the file names of
/// the release.
fn fetch_go(tree: &Path) -> Result<()> {
    need_go()?;
    let output = Command::new("go")
        .args(["env", "GOROOT"])
        .env("GOTOOLCHAIN", GO_VERSION)
        .current_dir("/")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !output.status.success() {
        bail!("`go env GOROOT` of {GO_VERSION} ended with {}", output.status);
    }
    let root = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    copy_plain(&root.join("src"), tree)
}

fn need_go() -> Result<()> {
    match which("go") {
        Some(_) => Ok(()),
        None => bail!("no `go` to fetch modules with (Debian: golang-go)"),
    }
}

/// Paths of modules, and the folders where the registry's client has put them.
fn download(wanted: &[String], tree: &Path) -> Result<Vec<(String, PathBuf)>> {
    need_go()?;
    // Outside of a module, so that no go.mod of the caller applies.
    let outside = tree.with_extension("go");
    fs::create_dir_all(&outside)?;
    let output = Command::new("go")
        .args(["mod", "download", "-json"])
        .args(wanted)
        .current_dir(&outside)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    fs::remove_dir_all(&outside)?;
    let mut modules = Vec::new();
    for module in serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Module>() {
        let module = module.context("reading what `go mod download -json` says")?;
        if let Some(error) = module.error {
            bail!("{}: {error}", module.path);
        }
        let source = module.folder.with_context(|| format!("{} has no folder", module.path))?;
        modules.push((module.path, source));
    }
    if !output.status.success() {
        bail!("`go mod download` ended with {}", output.status);
    }
    Ok(modules)
}

/// Copies contents and links without modes: the module cache is read-only.
fn copy_plain(source: &Path, target: &Path) -> Result<()> {
    fs::create_dir_all(target)?;
    for entry in fs::read_dir(source)? {
        let entry = entry?;
        let to = target.join(entry.file_name());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_plain(&entry.path(), &to)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(entry.path())?, &to)?;
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
