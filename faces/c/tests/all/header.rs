//! The header and the library in step: a program in C, compiled here, writes the golden index.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use manicule_testkit::golden_folder;

/// Names that a text declares or defines, as they begin in this library.
fn names(text: &str, is_call: impl Fn(&str, &str) -> bool) -> Vec<String> {
    let mut names = Vec::new();
    for (at, _) in text.match_indices("manicule_") {
        let end = text[at..].find(|c: char| !c.is_alphanumeric() && c != '_');
        let (name, rest) = text[at..].split_at(end.unwrap_or(text.len() - at));
        if is_call(&text[..at], rest) {
            names.push(name.to_owned());
        }
    }
    names.sort();
    names.dedup();
    names
}

#[test]
fn the_header_declares_what_the_library_defines() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = fs::read_to_string(folder.join("include/manicule_series.h")).unwrap();
    let declared = names(&header, |_, rest| rest.starts_with('('));
    let mut defined = Vec::new();
    for file in ["failure", "store", "writer"] {
        let source = fs::read_to_string(folder.join(format!("src/{file}.rs"))).unwrap();
        defined.extend(names(&source, |before, _| {
            before.ends_with("extern \"C\" fn ")
                || before.lines().next_back().is_some_and(|line| line == "    ")
        }));
    }
    defined.sort();
    assert_eq!(declared, defined);
    let library = library();
    if let Ok(output) = Command::new("nm").args(["-D", "--defined-only"]).arg(&library).output() {
        let symbols = String::from_utf8_lossy(&output.stdout).into_owned();
        let is_there = |name: &&String| !symbols.lines().any(|line| line.ends_with(name.as_str()));
        let missing: Vec<&String> = declared.iter().filter(is_there).collect();
        assert!(missing.is_empty(), "{} lacks {missing:?}", library.display());
    } else {
        eprintln!("left out: the library's own table of names (there is no nm)");
    }
}

/// The shared library, which is built beside this test.
fn library() -> PathBuf {
    let test = env::current_exe().unwrap();
    let folder = test.parent().unwrap();
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("libmanicule_c") && name.ends_with(".so")
    };
    let modified = |path: &PathBuf| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    entries.filter(is_library).max_by_key(modified).expect("the shared library beside the test")
}

#[test]
fn a_program_in_c_writes_the_golden_index() {
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    if !cfg!(target_os = "linux") || Command::new(&compiler).arg("--version").output().is_err() {
        eprintln!("left out: a program in C (there is no {compiler}, or this is not Linux)");
        return;
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = tempfile::tempdir().unwrap();
    let program = built.path().join("program");
    let library = library();
    let rpath = format!("-Wl,-rpath,{}", library.parent().unwrap().display());
    let status = Command::new(&compiler)
        .args(["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-I"])
        .arg(folder.join("include"))
        .arg(folder.join("tests/index.c"))
        .arg(&library)
        .args([&rpath, "-o"])
        .arg(&program)
        .status()
        .unwrap();
    assert!(status.success(), "{compiler} refuses the program");
    let golden = golden_folder("series", "golden");
    let input = golden.path().join("index/1000");
    let index = built.path().join("index");
    let output = Command::new(&program).arg(input.join("series.tsv")).arg(&index).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(fs::read(&index).unwrap() == fs::read(input.join("index")).unwrap());
}
