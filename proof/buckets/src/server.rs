//! The server: a thread for each connection.

use std::collections::BTreeMap;
use std::io::{self, BufReader};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::answer::Answer;
use crate::faults::{Fault, When};
use crate::line::{Line, Traffic};
use crate::operations::State;
use crate::request::Request;
use crate::sign::{Keys, refused};

/// Name of the bucket that it has.
const BUCKET: &str = "bucket";

const REGION: &str = "eu-test-1";

/// How long a silent server says nothing.
const SILENCE: Duration = Duration::from_secs(60);

/// Whom a server answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setup {
    /// Whoever has signed, as Amazon's S3.
    Signed,
    /// Whoever has signed and says that they pay.
    RequesterPays,
    /// Anybody, as a web server, and Google's of public buckets.
    Public,
}

/// What a server was asked, by method: a `GET` without a key is a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Numbers of requests.
    pub by_method: BTreeMap<String, u64>,
}

impl Asked {
    /// Number of requests in all.
    pub fn requests(&self) -> u64 {
        self.by_method.values().sum()
    }

    /// Number of requests of one method.
    pub fn of(&self, method: &str) -> u64 {
        self.by_method.get(method).copied().unwrap_or(0)
    }
}

/// An object store of one bucket in this process. It ends with the value.
#[derive(Debug)]
pub struct Server {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    control: Mutex<Control>,
    line: Line,
    is_over: AtomicBool,
    setup: Setup,
    keys: Keys,
}

/// What tests set and read.
#[derive(Debug, Default)]
struct Control {
    asked: Asked,
    faults: Vec<(Fault, When)>,
    latency: Duration,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// Begins to serve an empty bucket on a free port of this machine.
    ///
    /// # Panics
    /// If there is no port.
    pub fn start(setup: Setup) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("bound").port();
        let keys = Keys {
            id: "test-id".to_owned(),
            secret: "test-secret".to_owned(),
            region: REGION.to_owned(),
        };
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            control: Mutex::default(),
            line: Line::default(),
            is_over: AtomicBool::new(false),
            setup,
            keys,
        });
        let serving = shared.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if serving.is_over.load(Relaxed) {
                    break;
                }
                let serving = serving.clone();
                // What goes wrong with a connection its client sees.
                thread::spawn(move || drop(serving.serve(&stream)));
            }
        });
        Server { port, shared }
    }

    /// URL of the service.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Address of the bucket, or of what lies below a prefix.
    pub fn address(&self, prefix: &str) -> String {
        format!("s3://{BUCKET}/{prefix}")
    }

    /// Variables of the environment of whoever may ask.
    pub fn variables(&self) -> BTreeMap<String, String> {
        let endpoint = self.endpoint();
        let pairs = [
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
            ("AWS_REGION", REGION),
            ("AWS_ACCESS_KEY_ID", "test-id"),
            ("AWS_SECRET_ACCESS_KEY", "test-secret"),
        ];
        pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Puts an object, without a request.
    pub fn put(&self, key: &str, bytes: &[u8]) {
        locked(&self.shared.state).objects.put(key, bytes);
    }

    /// Puts the files of a folder, and of those in it, under their paths after `prefix`.
    ///
    /// # Panics
    /// If the folder can't be read.
    pub fn bring(&self, folder: &Path, prefix: &str) {
        locked(&self.shared.state).objects.bring(folder, prefix);
    }

    /// The same of files that are too large for memory: they are read when they are asked for, and
    /// have to stay as they are.
    ///
    /// # Panics
    /// If the folder can't be read.
    pub fn lend(&self, folder: &Path, prefix: &str) {
        locked(&self.shared.state).objects.lend(folder, prefix);
    }

    /// Removes an object, without a request.
    pub fn remove(&self, key: &str) {
        locked(&self.shared.state).objects.by_key.remove(key);
    }

    /// The bytes of an object.
    pub fn get(&self, key: &str) -> Option<Vec<u8>> {
        let state = locked(&self.shared.state);
        let object = state.objects.by_key.get(key)?;
        Some(object.contents.read(0..object.contents.len()))
    }

    /// The keys that there are.
    pub fn keys(&self) -> Vec<String> {
        locked(&self.shared.state).objects.by_key.keys().cloned().collect()
    }

    /// Number of uploads in parts that have not ended.
    pub fn open_uploads(&self) -> usize {
        locked(&self.shared.state).uploads.count()
    }

    /// From now on listings show what there is now, or what there is then.
    pub fn let_listings_lag(&self, do_lag: bool) {
        let mut state = locked(&self.shared.state);
        state.shown = do_lag.then(|| state.objects.clone());
    }

    /// Lets these go wrong from now on, in place of those before. Requests are counted from 1 on
    /// again; of faults of the same request the first counts.
    pub fn fail(&self, faults: &[(Fault, When)]) {
        let mut control = locked(&self.shared.control);
        (control.faults, control.asked) = (faults.to_vec(), Asked::default());
    }

    /// How long each request waits before it is answered.
    pub fn wait(&self, latency: Duration) {
        locked(&self.shared.control).latency = latency;
    }

    /// How fast bytes pass to all clients together.
    pub fn limit(&self, bytes_per_second: u64) {
        self.shared.line.limit(bytes_per_second);
    }

    /// What has passed since this was called last.
    pub fn take_traffic(&self) -> Traffic {
        self.shared.line.take()
    }

    /// What was asked since this was called last, or faults were set.
    pub fn take_asked(&self) -> Asked {
        std::mem::take(&mut locked(&self.shared.control).asked)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Relaxed);
        // Wakes the thread that accepts.
        drop(TcpStream::connect(("127.0.0.1", self.port)));
    }
}

impl Shared {
    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut from = BufReader::new(stream);
        while let Some(request) = Request::read(&mut from)? {
            let begin = Instant::now();
            let is_head = request.method == "HEAD";
            let fault = self.count(&request);
            if matches!(fault, Some(Fault::Reset)) {
                return Ok(());
            }
            let answer = self.answer(request, fault);
            if matches!(fault, Some(Fault::Lost)) {
                return Ok(());
            }
            let len = if is_head { 0 } else { answer.body.len() };
            self.line.pass(begin, len, stream, |to| answer.write(to, is_head))?;
            if self.is_over.load(Relaxed) || fault.is_some_and(Fault::ends_connection) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Counts a request and waits; what goes wrong with it.
    fn count(&self, request: &Request) -> Option<Fault> {
        let mut control = locked(&self.control);
        let method = match (request.method.as_str(), request.place().1) {
            ("GET", "") => "LIST",
            (method, _) => method,
        };
        *control.asked.by_method.entry(method.to_owned()).or_default() += 1;
        let number = control.asked.requests();
        let fault = control.faults.iter().find(|(_, when)| when.is_at(number));
        let (fault, latency) = (fault.map(|(fault, _)| *fault), control.latency);
        drop(control);
        thread::sleep(if fault == Some(Fault::Silence) { SILENCE } else { latency });
        fault
    }

    fn answer(&self, request: Request, fault: Option<Fault>) -> Answer {
        if self.setup != Setup::Public
            && let Some(refused) = refused(&request, &self.keys)
        {
            return refused;
        }
        let pays = request.header("x-amz-request-payer") == Some("requester");
        if self.setup == Setup::RequesterPays && !pays {
            return Answer::error(403, "AccessDenied", "nobody pays");
        }
        if request.place().0 != BUCKET {
            return Answer::error(404, "NoSuchBucket", "no such bucket");
        }
        let Some(fault) = fault else { return locked(&self.state).answer(request) };
        if let Some(instead) = fault.instead() {
            return instead;
        }
        let answer = locked(&self.state).answer(fault.understood(request));
        fault.spoilt(answer)
    }
}
