//! Certificates, for addresses other than those of loopback.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

/// Files of a certificate, in PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate, and those that it is signed by.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

impl TlsFiles {
    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor> {
        let TlsFiles { certificate, key } = self;
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect)
            .with_context(|| certificate.display().to_string())?;
        let own = PrivateKeyDer::from_pem_file(key).with_context(|| key.display().to_string())?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, own)
            .with_context(|| certificate.display().to_string())?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}
