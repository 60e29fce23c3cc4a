//! Systems whose files are recognised and can't be searched yet: RDF.
//!
//! Each is a file here until its engine moves in, and takes the file with it.
//!
//! Callers: faces/manicule

pub mod rdf;
