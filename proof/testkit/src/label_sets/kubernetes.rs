//! Label sets of a cluster: the same text as the golden files of series have, for any count of
//! series.
//!
//! The numbers come in a fixed order from one seed; changing the order of a draw changes the text.

use std::collections::HashMap;

use super::{Draft, Word};
use crate::Rng;

const SEED: u64 = 42;
/// The count that the sizes below are meant for; others are in proportion.
const FULL_COUNT: f64 = 1_200_000.0;

const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz";
const HEX: &str = "0123456789abcdef";
/// Characters from which Kubernetes makes names of pods.
const POD_LETTERS: &str = "bcdfghjklmnpqrstvwxz2456789";

const CONTAINER_METRICS: &str = "cpu_usage_seconds_total cpu_user_seconds_total cpu_system_seconds_total \
    cpu_cfs_periods_total cpu_cfs_throttled_periods_total cpu_cfs_throttled_seconds_total memory_usage_bytes \
    memory_working_set_bytes memory_rss memory_cache memory_swap memory_failcnt memory_max_usage_bytes \
    memory_mapped_file memory_kernel_usage memory_total_active_file_bytes memory_total_inactive_file_bytes \
    fs_reads_bytes_total fs_writes_bytes_total fs_reads_total fs_writes_total fs_usage_bytes fs_limit_bytes \
    fs_inodes_free fs_inodes_total spec_cpu_period spec_cpu_quota spec_cpu_shares spec_memory_limit_bytes \
    spec_memory_reservation_limit_bytes spec_memory_swap_limit_bytes start_time_seconds last_seen processes threads \
    threads_max sockets file_descriptors ulimits_soft oom_events_total tasks_state";
const NETWORK_METRICS: &str = "receive_bytes_total transmit_bytes_total receive_packets_total \
    transmit_packets_total receive_errors_total transmit_errors_total receive_packets_dropped_total \
    transmit_packets_dropped_total";
const REQUEST_BUCKETS: [&str; 12] =
    ["0.005", "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1.0", "2.5", "5.0", "10.0", "+Inf"];
const API_BUCKETS: &str = "0.005 0.025 0.05 0.1 0.2 0.4 0.6 0.8 1.0 1.25 1.5 2.0 3.0 4.0 5.0 6.0 8.0 10.0 15.0 \
    20.0 30.0 45.0 60.0 +Inf";

struct Container {
    name: String,
    image: String,
    id: String,
    cgroup: String,
}

struct Pod {
    namespace: String,
    name: String,
    uid: String,
    ip: String,
    node: usize,
    deployment: String,
    containers: Vec<Container>,
    app: usize,
}

impl Pod {
    /// The replica set that it belongs to.
    fn owner(&self) -> &str {
        &self.name[..self.name.len() - "-12345".len()]
    }
}

struct Node {
    name: String,
    ip: String,
}

struct Deployment {
    namespace: String,
    name: String,
    image: String,
}

/// Sizes in proportion to the count of series.
fn scaled(full: usize, count: usize) -> usize {
    ((full as f64 * (count as f64 / FULL_COUNT)) as usize).max(1)
}

fn random_text(rng: &mut Rng, letters: &str, len: usize) -> String {
    (0..len).map(|_| char::from(letters.as_bytes()[rng.below(letters.len())])).collect()
}

/// Adds the sets of `count` series or slightly more.
pub(super) fn fill(draft: &mut Draft, count: usize) {
    let mut rng = Rng::new(SEED);
    let nodes = nodes(scaled(220, count));
    let namespaces = namespaces(scaled(120, count));
    let deployments = deployments(&mut rng, scaled(800, count), &namespaces);
    let pods = pods(&mut rng, scaled(6480, count), &deployments, nodes.len());
    for pod in &pods {
        kubelet(draft, pod, &nodes[pod.node]);
    }
    for pod in &pods {
        pod_state(draft, pod, &nodes[pod.node]);
        container_states(draft, pod, &nodes[pod.node]);
    }
    for node in &nodes {
        node_exporter(draft, node);
    }
    control_plane(draft, scaled(60, count));
    applications(draft, count, &pods, &nodes);
}

fn nodes(count: usize) -> Vec<Node> {
    let node = |at: usize| {
        let bytes = [16 + at / 4096, at / 16 % 256, 10 + at % 16];
        let [b, c, d] = bytes;
        Node {
            name: format!("ip-10-{b}-{c}-{d}.eu-central-1.compute.internal"),
            ip: format!("10.{b}.{c}.{d}"),
        }
    };
    (0..count).map(node).collect()
}

fn namespaces(count: usize) -> Vec<String> {
    let kinds = ["team", "prod", "stage", "infra", "data", "svc"];
    let fields = [
        "payments", "search", "catalog", "orders", "auth", "billing", "mail", "ml", "video", "geo",
    ];
    (0..count).map(|at| format!("{}-{}-{at}", kinds[at % 6], fields[at / 6 % 10])).collect()
}

fn deployments(rng: &mut Rng, count: usize, namespaces: &[String]) -> Vec<Deployment> {
    let kinds = ["api", "worker", "web", "gateway", "cache", "ingest", "scheduler", "proxy"];
    let mut deployment = |at: usize| {
        let name = format!("{}-{}", kinds[at % 8], random_text(rng, LETTERS, 6));
        Deployment {
            namespace: rng.choose(namespaces).clone(),
            image: format!("registry.example.internal/{name}:v{}.{}.0", 1 + at % 9, at % 30),
            name,
        }
    };
    (0..count).map(&mut deployment).collect()
}

/// A few deployments have many replicas.
fn pods(rng: &mut Rng, count: usize, deployments: &[Deployment], node_count: usize) -> Vec<Pod> {
    let mut replica_sets: HashMap<usize, String> = HashMap::new();
    let mut pod = |at: usize| {
        let mut number = rng.below(deployments.len());
        if rng.one_in(3) {
            number = rng.below(1 + deployments.len() / 20);
        }
        let replica_set =
            replica_sets.entry(number).or_insert_with(|| random_text(rng, POD_LETTERS, 10));
        let deployment = &deployments[number];
        let node = rng.below(node_count);
        let name = random_text(rng, POD_LETTERS, 5);
        let name = format!("{}-{replica_set}-{name}", deployment.name);
        let [a, b, c, d, e] = [8, 4, 3, 3, 12].map(|len| random_text(rng, HEX, len));
        let uid = format!("{a}-{b}-4{c}-8{d}-{e}");
        let mut containers = vec![container(rng, &deployment.name, &deployment.image, &uid)];
        if at.is_multiple_of(6) {
            containers.push(container(rng, "istio-proxy", "docker.io/istio/proxyv2:1.22.1", &uid));
        }
        Pod {
            namespace: deployment.namespace.clone(),
            name,
            uid,
            ip: format!("10.{}.{}.{}", 64 + at / 65_000, at / 250 % 256, 2 + at % 250),
            node,
            deployment: deployment.name.clone(),
            containers,
            app: number % 40,
        }
    };
    (0..count).map(&mut pod).collect()
}

fn container(rng: &mut Rng, name: &str, image: &str, pod_uid: &str) -> Container {
    let id = random_text(rng, HEX, 64);
    let pod = pod_uid.replace('-', "_");
    Container {
        name: name.to_owned(),
        image: image.to_owned(),
        cgroup: format!(
            "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{pod}.slice/cri-containerd-{id}.scope"
        ),
        id,
    }
}

/// Metrics of a node's agent about a pod: hot metric names, one series a container and metric.
fn kubelet(draft: &mut Draft, pod: &Pod, node: &Node) {
    let instance = format!("{}:10250", node.ip);
    let base: Vec<(Word, Word)> = draft
        .labels([
            ("instance", &instance),
            ("job", "kubelet"),
            ("metrics_path", "/metrics/cadvisor"),
            ("namespace", &pod.namespace),
            ("node", &node.name),
            ("pod", &pod.name),
        ])
        .to_vec();
    for container in &pod.containers {
        let own = draft.labels([
            ("container", &container.name),
            ("id", &container.cgroup),
            ("image", &container.image),
        ]);
        let base = [base.as_slice(), &own].concat();
        for metric in CONTAINER_METRICS.split(' ') {
            draft.add(&base, &[("__name__", &format!("container_{metric}"))]);
        }
    }
    for metric in NETWORK_METRICS.split(' ') {
        let name = format!("container_network_{metric}");
        draft.add(&base, &[("__name__", &name), ("interface", "eth0")]);
    }
}

/// First labels of each label set of a pod by kube-state-metrics.
fn state_base(draft: &mut Draft, pod: &Pod) -> [(Word, Word); 5] {
    draft.labels([
        ("instance", "10.64.0.2:8080"),
        ("job", "kube-state-metrics"),
        ("namespace", &pod.namespace),
        ("pod", &pod.name),
        ("uid", &pod.uid),
    ])
}

fn pod_state(draft: &mut Draft, pod: &Pod, node: &Node) {
    let base = state_base(draft, pod);
    let mut add = |metric: &str, more: &[(&str, &str)]| {
        draft.add(&base, &[&[("__name__", metric)], more].concat());
    };
    let owner = pod.owner();
    add(
        "kube_pod_info",
        &[
            ("node", &node.name),
            ("pod_ip", &pod.ip),
            ("created_by_kind", "ReplicaSet"),
            ("created_by_name", owner),
        ],
    );
    let owned =
        [("owner_kind", "ReplicaSet"), ("owner_name", owner), ("owner_is_controller", "true")];
    add("kube_pod_owner", &owned);
    add("kube_pod_start_time", &[]);
    add("kube_pod_created", &[]);
    add("kube_pod_labels", &[("label_app", &pod.deployment)]);
    for phase in ["Pending", "Running", "Succeeded", "Failed", "Unknown"] {
        add("kube_pod_status_phase", &[("phase", phase)]);
    }
    for condition in ["true", "false", "unknown"] {
        add("kube_pod_status_ready", &[("condition", condition)]);
        add("kube_pod_status_scheduled", &[("condition", condition)]);
    }
}

fn container_states(draft: &mut Draft, pod: &Pod, node: &Node) {
    let base = state_base(draft, pod);
    for container in &pod.containers {
        let name = ("container", container.name.as_str());
        let mut add = |metric: &str, more: &[(&str, &str)]| {
            draft.add(&base, &[&[("__name__", metric), name], more].concat());
        };
        let id = format!("containerd://{}", &container.id[..12]);
        add("kube_pod_container_info", &[("image", &container.image), ("container_id", &id)]);
        add("kube_pod_container_status_ready", &[]);
        add("kube_pod_container_status_running", &[]);
        add("kube_pod_container_status_restarts_total", &[]);
        for (resource, unit) in [("cpu", "core"), ("memory", "byte")] {
            let more = [("node", node.name.as_str()), ("resource", resource), ("unit", unit)];
            add("kube_pod_container_resource_requests", &more);
            add("kube_pod_container_resource_limits", &more);
        }
        for reason in ["ContainerCreating", "CrashLoopBackOff", "ImagePullBackOff"] {
            add("kube_pod_container_status_waiting_reason", &[("reason", reason)]);
        }
    }
}

fn node_exporter(draft: &mut Draft, node: &Node) {
    let instance = format!("{}:9100", node.ip);
    let base =
        draft.labels([("instance", &instance), ("job", "node-exporter"), ("node", &node.name)]);
    let mut add = |metric: &str, more: &[(&str, &str)]| {
        draft.add(&base, &[&[("__name__", metric)], more].concat());
    };
    for cpu in (0..32).map(|cpu: usize| cpu.to_string()) {
        for mode in ["idle", "iowait", "irq", "nice", "softirq", "steal", "system", "user"] {
            add("node_cpu_seconds_total", &[("cpu", &cpu), ("mode", mode)]);
        }
        add("node_cpu_frequency_hertz", &[("cpu", &cpu)]);
        add("node_cpu_scaling_frequency_hertz", &[("cpu", &cpu)]);
    }
    for device in ["nvme0n1", "nvme1n1", "nvme2n1", "dm-0"] {
        (0..18).for_each(|at| add(&format!("node_disk_metric_{at}_total"), &[("device", device)]));
    }
    for device in ["eth0", "eth1", "lo", "cali0", "cali1", "cali2", "cali3"] {
        for at in 0..24 {
            add(&format!("node_network_metric_{at}_total"), &[("device", device)]);
        }
    }
    (0..420).for_each(|at| add(&format!("node_misc_metric_{at}"), &[]));
}

/// Histograms of the API servers, for `resource_count` resources of sixty.
fn control_plane(draft: &mut Draft, resource_count: usize) {
    let kinds =
        ["pods", "nodes", "services", "configmaps", "secrets", "endpoints", "leases", "events"];
    let resource = |at: usize| match at / 8 {
        0 => kinds[at].to_owned(),
        group => format!("{}-{group}", kinds[at % 8]),
    };
    let resources: Vec<String> = (0..resource_count).map(resource).collect();
    for server in 2..5 {
        let instance = format!("10.16.0.{server}:6443");
        let base = draft.labels([
            ("__name__", "apiserver_request_duration_seconds_bucket"),
            ("component", "apiserver"),
            ("instance", &instance),
            ("job", "apiserver"),
            ("scope", "cluster"),
        ]);
        for verb in ["GET", "LIST", "WATCH", "POST", "PUT", "PATCH", "DELETE"] {
            for resource in &resources {
                for le in API_BUCKETS.split(' ') {
                    draft.add(&base, &[("le", le), ("resource", resource), ("verb", verb)]);
                }
            }
        }
    }
}

/// Metrics of the applications about themselves, round after round, until there are enough.
fn applications(draft: &mut Draft, count: usize, pods: &[Pod], nodes: &[Node]) {
    let mut round = 0;
    while draft.sets.len() < count {
        for (at, pod) in pods.iter().enumerate() {
            application(draft, round, pod, &nodes[pod.node], at.is_multiple_of(20));
            if draft.sets.len() >= count + 1000 {
                break;
            }
        }
        round += 1;
    }
}

fn application(draft: &mut Draft, round: usize, pod: &Pod, node: &Node, has_own_metrics: bool) {
    let pages = ["items", "users", "orders", "search", "login", "health", "cart", "pay"];
    let handler = format!("/v1/{}", pages[round % 8]);
    let instance = format!("{}:8080", pod.ip);
    let job = format!("{}/{}", pod.namespace, pod.deployment);
    let base = draft.labels([
        ("code", ["200", "404", "500"][round / 8 % 3]),
        ("handler", &handler),
        ("instance", &instance),
        ("job", &job),
        ("method", ["GET", "POST", "PUT"][round / 24 % 3]),
        ("namespace", &pod.namespace),
        ("pod", &pod.name),
    ]);
    let own = draft.labels([
        ("__name__", "http_request_duration_seconds_bucket"),
        ("container", &pod.containers[0].name),
        ("node", &node.name),
    ]);
    let bucket_base = [base.as_slice(), &own].concat();
    for le in REQUEST_BUCKETS {
        draft.add(&bucket_base, &[("le", le)]);
    }
    if has_own_metrics {
        for at in 0..10 {
            let name = format!("app_{}_metric_{}", pod.app, at + 10 * (round % 3));
            draft.add(&base, &[("__name__", &name)]);
        }
    }
}
