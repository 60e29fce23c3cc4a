//! Colours and hyperlinks of a call.

use std::path::Path;

use grep_printer::{ColorSpecs, HyperlinkConfig, HyperlinkEnvironment, default_color_specs};

use crate::flags::Options;

pub(super) fn color_specs(options: &mut Options) -> ColorSpecs {
    let mut specs = default_color_specs();
    specs.append(&mut options.colors);
    ColorSpecs::new(&specs)
}

pub(super) fn hyperlink(options: &mut Options) -> HyperlinkConfig {
    let format = std::mem::take(&mut options.hyperlink_format);
    let mut environment = HyperlinkEnvironment::new();
    let told = options.hostname_bin.as_deref().and_then(hostname_told_by);
    let own = || grep_cli::hostname().ok().and_then(|name| name.into_string().ok());
    environment.host(told.or_else(own));
    let distro = std::env::var("WSL_DISTRO_NAME").ok();
    environment.wsl_prefix(distro.map(|distro| format!("wsl$/{distro}")));
    HyperlinkConfig::new(environment, format)
}

/// Output of the program, or `None` if it is empty: then this host is asked.
fn hostname_told_by(program: &Path) -> Option<String> {
    let program = grep_cli::resolve_binary(program).ok()?;
    let mut command = std::process::Command::new(program);
    command.stdin(std::process::Stdio::null());
    let reader = grep_cli::CommandReader::new(&mut command).ok()?;
    let name = std::io::read_to_string(reader).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
