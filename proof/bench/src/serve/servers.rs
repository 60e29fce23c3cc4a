//! Servers that are measured: processes that are started, watched and ended.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::load::{Client, Request};

/// How long a server may take to begin.
const BEGIN_TIME: Duration = Duration::from_secs(120);

/// Ticks of the clock by which the system counts a process's time: Linux has 100 a second.
const TICKS: f64 = 100.0;

/// A server that runs until it is dropped.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

/// A port of loopback that was free a moment ago.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Server {
    /// Starts a program that listens at a port, and waits until it answers a request with 200.
    pub(crate) fn start(mut command: Command, port: u16, ready: &Request) -> Result<Server> {
        let name = format!("{:?}", command.get_program());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().with_context(|| name.clone())?;
        let mut server = Server { child, address: SocketAddr::from(([127, 0, 0, 1], port)) };
        let begun = Instant::now();
        loop {
            let answer = Client::connect(server.address).and_then(|mut own| own.ask(ready));
            if answer.is_ok_and(|answer| answer.status == 200) {
                return Ok(server);
            }
            if let Some(status) = server.child.try_wait()? {
                bail!("{name} ended with {status}");
            }
            if begun.elapsed() > BEGIN_TIME {
                bail!("{name} doesn't answer");
            }
            sleep(Duration::from_millis(20));
        }
    }

    /// Seconds of processor time that it has taken so far.
    pub(crate) fn cpu_seconds(&self) -> Result<f64> {
        let file = format!("/proc/{}/stat", self.child.id());
        let text = fs::read_to_string(&file).context(file)?;
        // After the name, which may hold anything, in parentheses.
        let fields: Vec<&str> =
            text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
        Ok((ticks(11).context("utime")? + ticks(12).context("stime")?) / TICKS)
    }

    /// A line of its status, in MiB: `VmHWM` is the most memory that it had, `RssAnon` its
    /// own now.
    pub(crate) fn memory_mib(&self, line: &str) -> Result<f64> {
        let file = format!("/proc/{}/status", self.child.id());
        let text = fs::read_to_string(&file).context(file)?;
        let found = text.lines().find_map(|own| own.strip_prefix(line)?.strip_prefix(':'));
        let kib =
            found.and_then(|rest| rest.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
        Ok(kib.with_context(|| line.to_owned())? / 1024.0)
    }

    /// Kills it, as a power cut does.
    pub(crate) fn kill(mut self) -> Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs a program to its end; an error has what it said.
pub(crate) fn done(program: &Path, words: &[&str], folder: &Path) -> Result<()> {
    let output = Command::new(program)
        .args(words)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .with_context(|| program.display().to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        bail!("{} {words:?} ended with {}: {said}", program.display(), output.status);
    }
    Ok(())
}
