//! Changes of a store that hold all together, or not at all, in terms of the RDF library.

use std::collections::HashMap;

use manicule_core::watch::Watch;
use manicule_graph::Appended as InLog;
pub use manicule_graph::Committed;
use manicule_graph::load::load_iri;
use manicule_graph::sparql::{
    SparqlError, UpdateOptions, UpdateWork, blank_label, blank_number, triple_of, update as change,
    with_term_ref,
};
use manicule_graph::term::{TermRef, TooManyLevels};
use manicule_graph::{GraphChoice, GraphError, Id, Quad as Ids, View};
use oxrdf::{BlankNode, GraphNameRef, NamedOrBlankNodeRef, QuadRef};

use super::error::Error;
use super::store::Writer;
use super::update::{Loads, UpdateCall};

/// Changes of a store by one thread. Others see them when they are committed; dropped, they are
/// forgotten.
///
/// There is one at a time: a thread that has one and begins another waits for ever.
#[derive(Debug)]
pub struct Transaction {
    pub(super) engine: manicule_graph::Transaction,
    /// Blank nodes that it has made, by the labels that they were given by.
    nodes: HashMap<String, Id>,
}

/// Changes that are a commit already, which the next transaction sees, and that are durable and
/// visible after [`Appended::wait`]; or with the next commit, if nobody waits for this one.
#[derive(Debug)]
#[must_use = "changes are durable when they were waited for"]
pub struct Appended(InLog);

impl Appended {
    /// Waits until they are durable and visible. One sync is for all commits that were appended by
    /// then.
    pub fn wait(self) -> Result<Committed, Error> {
        Ok(self.0.wait()?)
    }
}

impl Writer {
    /// Begins a transaction, after the end of the one that another thread may have.
    pub fn begin(&self) -> Result<Transaction, Error> {
        Ok(Transaction { engine: self.engine.begin()?, nodes: HashMap::new() })
    }
}

impl Transaction {
    /// Adds a quad. Its graph exists from then on. A blank node whose label isn't one of the
    /// store's is a new one, the same for each quad of the transaction.
    pub fn insert(&mut self, quad: QuadRef<'_>) -> Result<(), Error> {
        let ids = Ids {
            subject: self.intern(quad.subject.into())?,
            predicate: self.intern(quad.predicate.into())?,
            object: self.intern(quad.object)?,
            graph: match node_of(quad.graph_name) {
                Some(name) => self.intern(name.into())?,
                None => Id::DEFAULT_GRAPH,
            },
        };
        self.engine.insert(ids);
        Ok(())
    }

    /// Removes a quad, if it is there. Its graph stays, be it empty.
    pub fn remove(&mut self, quad: QuadRef<'_>) -> Result<(), Error> {
        let graph = match node_of(quad.graph_name) {
            Some(name) => self.find(name.into())?,
            None => Some(Id::DEFAULT_GRAPH),
        };
        let terms = [quad.subject.into(), quad.predicate.into(), quad.object];
        let mut ids = [None; 3];
        for (id, term) in ids.iter_mut().zip(terms) {
            *id = self.find(term)?;
        }
        if let ([Some(subject), Some(predicate), Some(object)], Some(graph)) = (ids, graph) {
            self.engine.remove(Ids { subject, predicate, object, graph });
        }
        Ok(())
    }

    /// Whether there is a graph of a name, as what was changed so far has left it.
    pub fn has_graph(&mut self, name: NamedOrBlankNodeRef<'_>) -> Result<bool, Error> {
        let Some(id) = self.find(name.into())? else { return Ok(false) };
        Ok(self.engine.view().has_graph(id)?)
    }

    /// Makes a graph, be it empty. Nothing happens if it is there.
    pub fn create_graph(&mut self, name: NamedOrBlankNodeRef<'_>) -> Result<(), Error> {
        let id = self.intern(name.into())?;
        self.engine.create_graph(id);
        Ok(())
    }

    /// Removes the quads of a graph, which stays.
    pub fn clear_graph(&mut self, name: GraphNameRef<'_>) -> Result<(), Error> {
        let graph = match node_of(name) {
            None => Some(GraphChoice::Default),
            Some(name) => self.find(name.into())?.map(GraphChoice::Named),
        };
        Ok(graph.map_or(Ok(()), |graph| self.engine.clear(graph))?)
    }

    /// Removes a graph and its quads.
    pub fn drop_graph(&mut self, name: NamedOrBlankNodeRef<'_>) -> Result<(), Error> {
        let id = self.find(name.into())?;
        Ok(id.map_or(Ok(()), |id| self.engine.drop_graph(id))?)
    }

    /// Removes all quads and all graphs.
    pub fn clear(&mut self) -> Result<(), Error> {
        let names: Vec<Id> = self.engine.view().graphs().collect::<Result<_, _>>()?;
        self.engine.clear(GraphChoice::Default)?;
        for name in names {
            self.engine.drop_graph(name)?;
        }
        Ok(())
    }

    /// Does a request in SPARQL, which sees what was changed before it. After an error the
    /// transaction is to be dropped.
    pub fn update(&mut self, call: &UpdateCall, watch: &Watch<'_>) -> Result<UpdateWork, Error> {
        let mut options = UpdateOptions {
            base: call.base.as_deref(),
            default_graph: call.default_graph,
            using: call.using.as_ref(),
            limits: call.limits,
            load: &mut |iri, add| match call.loads {
                Loads::Files => load_iri(iri, add, watch),
                Loads::None => Err(SparqlError::Refused(format!(
                    "LOAD <{iri}>: no documents are loaded here; send its triples instead"
                ))),
            },
        };
        Ok(change(&mut self.engine, &call.text, &mut options, watch)?)
    }

    /// The blank nodes that quads have made: the labels that they were given by, and those that the
    /// store has for them.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, String)> {
        self.nodes.iter().map(|(label, id)| (label.as_str(), blank_label(id.payload())))
    }

    /// Makes all changes durable and visible, and waits for that. Changes that change nothing are
    /// no commit.
    pub fn commit(self) -> Result<Committed, Error> {
        Ok(self.engine.commit()?)
    }

    /// Makes all changes a commit, and gives the right to change the store back: so the wait for
    /// the disk can be done elsewhere, and together with others'.
    pub fn append(self) -> Result<Appended, Error> {
        Ok(Appended(self.engine.append()?))
    }

    fn intern(&mut self, term: oxrdf::TermRef<'_>) -> Result<Id, Error> {
        match term {
            oxrdf::TermRef::BlankNode(node) => Ok(self.intern_blank(node.as_str())?),
            oxrdf::TermRef::Triple(triple) => {
                let mut number =
                    |node: &BlankNode| self.intern_blank(node.as_str()).map(Id::payload);
                let triple = triple_of(triple, &mut number)?;
                Ok(self.engine.intern(TermRef::Triple(triple.as_triple()))?)
            }
            term => {
                let id = with_term_ref(term, |term| self.engine.intern(term));
                Ok(id.expect("no blank node is in it")?)
            }
        }
    }

    fn intern_blank(&mut self, label: &str) -> Result<Id, GraphError> {
        if let Some(id) = self.find_blank(label)? {
            return Ok(id);
        }
        let id = self.engine.new_blank();
        self.nodes.insert(label.to_owned(), id);
        Ok(id)
    }

    fn find(&self, term: oxrdf::TermRef<'_>) -> Result<Option<Id>, Error> {
        match term {
            oxrdf::TermRef::BlankNode(node) => Ok(self.find_blank(node.as_str())?),
            oxrdf::TermRef::Triple(triple) => {
                let mut number = |node: &BlankNode| match self.find_blank(node.as_str()) {
                    Ok(found) => found.map(Id::payload).ok_or(Absent::NotHeld),
                    Err(error) => Err(Absent::Failed(error)),
                };
                match triple_of(triple, &mut number) {
                    Ok(triple) => Ok(self.engine.find(TermRef::Triple(triple.as_triple()))?),
                    Err(Absent::NotHeld) => Ok(None),
                    Err(Absent::Failed(error)) => Err(error.into()),
                }
            }
            term => {
                let id = with_term_ref(term, |term| self.engine.find(term));
                Ok(id.transpose()?.flatten())
            }
        }
    }

    fn find_blank(&self, label: &str) -> Result<Option<Id>, GraphError> {
        if let Some(id) = self.nodes.get(label) {
            return Ok(Some(*id));
        }
        let Some(number) = blank_number(label) else { return Ok(None) };
        self.engine.find(TermRef::Blank(number))
    }
}

/// Why a triple term isn't found.
enum Absent {
    /// The store can't hold it.
    NotHeld,
    Failed(GraphError),
}

impl From<TooManyLevels> for Absent {
    fn from(_: TooManyLevels) -> Self {
        Absent::NotHeld
    }
}

/// The name of a graph that has one.
fn node_of(name: GraphNameRef<'_>) -> Option<NamedOrBlankNodeRef<'_>> {
    match name {
        GraphNameRef::NamedNode(node) => Some(node.into()),
        GraphNameRef::BlankNode(node) => Some(node.into()),
        GraphNameRef::DefaultGraph => None,
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad};

    use super::super::load::LoadCall;
    use super::super::{
        Loads, NamedDataset, QuadPattern, Store, Syntax, UpdateCall, Writing, load,
    };
    use super::*;

    fn quad(subject: &str, object: &str, graph: GraphName) -> Quad {
        let [subject, is] = [subject, "x:is"].map(NamedNode::new_unchecked);
        Quad::new(subject, is, Literal::from(object), graph)
    }

    fn of_blank(label: &str) -> Quad {
        let node = BlankNode::new_unchecked(label);
        let is = NamedNode::new_unchecked("x:is");
        Quad::new(node.clone(), is, node, GraphName::DefaultGraph)
    }

    fn all(store: &Store) -> Vec<Quad> {
        let mut scan = store.scan(&QuadPattern::default()).unwrap();
        let mut all = Vec::new();
        loop {
            let batch = scan.next_batch().unwrap();
            if batch.is_empty() {
                return all;
            }
            all.extend(batch);
        }
    }

    /// A store of no quads.
    fn empty() -> (tempfile::TempDir, Writer) {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("store");
        load(&place, Writing::PLAIN, &LoadCall::new(Vec::new()), &Watch::none()).unwrap();
        (folder, Writer::open(&place, Writing::PLAIN, &Watch::none()).unwrap())
    }

    #[test]
    fn a_graph_is_replaced_by_documents_of_one_graph() {
        let (_folder, writer) = empty();
        let name = NamedNode::new_unchecked("x:graph");
        let put = |text: &str, syntax| -> Result<(bool, u64, u64), Error> {
            let mut transaction = writer.begin()?;
            let existed = transaction.has_graph(name.as_ref().into())?;
            transaction.clear_graph(name.as_ref().into())?;
            let call = LoadCall {
                texts: vec![("body".into(), text.as_bytes().into())],
                syntax: Some(syntax),
                base: Some("http://a/".to_owned()),
                graph: Some(name.as_str().to_owned()),
                ..LoadCall::new(Vec::new())
            };
            transaction.load_one_graph(&call, &Watch::none())?;
            assert!(transaction.has_graph(name.as_ref().into())?);
            let Committed { added, removed, .. } = transaction.commit()?;
            Ok((existed, added, removed))
        };
        let (one, two) = ("<s> <p> 1 .", "<s> <p> 1, 2 .");
        assert_eq!(put(one, Syntax::Turtle).unwrap(), (false, 1, 0));
        assert_eq!(put(two, Syntax::Turtle).unwrap(), (true, 1, 0));
        assert_eq!(put(one, Syntax::TriG).unwrap(), (true, 0, 1));
        for (text, syntax) in [
            ("<x:s> <x:p> <x:o> <x:other> .", Syntax::NQuads),
            ("<s> <p> 3 . <x:other> { <s> <p> 4 }", Syntax::TriG),
            (r#"{"@id": "x:other", "@graph": {"@id": "x:s", "x:p": 1}}"#, Syntax::JsonLd),
        ] {
            let error = put(text, syntax).unwrap_err();
            assert_eq!(error.class(), manicule_core::ErrorClass::Asked, "{error}");
            assert!(error.to_string().contains("x:other"), "{error}");
        }
        assert_eq!(all(writer.store()).len(), 1);
    }

    #[test]
    fn a_request_reads_the_graphs_and_the_documents_of_its_call() {
        let (folder, writer) = empty();
        let update = |call: UpdateCall| {
            let updated = writer.update(&call, &Watch::none());
            updated.map(|updated| updated.added).map_err(|error| error.to_string())
        };
        let of = |text: &str| UpdateCall::new(text.to_owned());
        let graph = NamedNode::new_unchecked("x:g");
        let dataset = NamedDataset { default: Some(vec![graph.into()]), named: Some(Vec::new()) };
        let using = |text: &str| UpdateCall { using: Some(dataset.clone()), ..of(text) };
        assert_eq!(update(of("INSERT DATA { GRAPH <x:g> { <x:s> <x:p> 1 } }")), Ok(1));
        assert_eq!(update(using("INSERT { ?s <x:q> ?o } WHERE { ?s ?p ?o }")), Ok(1));
        // Not in the graph of the call: a pattern of the usual shape asks it too.
        assert_eq!(update(using("DELETE WHERE { <x:s> <x:q> ?o }")), Ok(0));
        assert_eq!(all(writer.store()).len(), 2);
        let refused = update(using("WITH <x:g> DELETE { ?s ?p ?o } WHERE { ?s ?p ?o }"));
        assert!(refused.as_ref().is_err_and(|error| error.contains("USING or WITH")));

        let document = folder.path().join("a.nt");
        std::fs::write(&document, "<x:lamp> <x:is> <x:lit> .\n").unwrap();
        let text = format!("LOAD <file://{}>", document.display());
        let without = |text: &str| UpdateCall { loads: Loads::None, ..of(text) };
        let refused = update(without(&text));
        assert!(refused.as_ref().is_err_and(|error| error.contains("no documents are loaded")));
        assert_eq!(update(without(&text.replace("LOAD", "LOAD SILENT"))), Ok(0));
        assert_eq!(update(of(&text)), Ok(1));

        // Relative IRIs have the base, absolute ones are as they are, by the parser too.
        let based = |text: &str| UpdateCall { base: Some("http://a/b/".to_owned()), ..of(text) };
        let scan = |text: &str| {
            assert_eq!(update(based(text)), Ok(1));
            let found = all(writer.store());
            let last = found.iter().find(|quad| quad.predicate.as_str() == "x:at").cloned();
            update(of("DELETE WHERE { ?s <x:at> ?o }")).unwrap();
            last.map(|quad| quad.subject.to_string())
        };
        for (text, want) in [
            ("INSERT DATA { <c> <x:at> 1 }", "<http://a/b/c>"),
            ("INSERT DATA { <http://a/x/../c> <x:at> \"1\" }", "<http://a/x/../c>"),
            ("INSERT DATA { <http://a/x/../c> <x:at> 1 }", "<http://a/x/../c>"),
            ("INSERT DATA { <http://a/c> <x:at> \"1\" }", "<http://a/c>"),
        ] {
            assert_eq!(scan(text).as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn what_is_changed_holds_together_or_not_at_all() {
        let (_folder, writer) = empty();
        let graph = NamedNode::new_unchecked("x:graph");
        let (lamp, shade) = (
            quad("x:lamp", "lit", GraphName::DefaultGraph),
            quad("x:shade", "red", graph.clone().into()),
        );

        let mut dropped = writer.begin().unwrap();
        dropped.insert(lamp.as_ref()).unwrap();
        drop(dropped);
        assert_eq!(all(writer.store()), []);

        let mut transaction = writer.begin().unwrap();
        for quad in [&lamp, &shade, &of_blank("node")] {
            transaction.insert(quad.as_ref()).unwrap();
        }
        // A label of the store's form, of which it has no node.
        transaction.insert(of_blank("b7").as_ref()).unwrap();
        let mut nodes: Vec<(String, String)> =
            transaction.nodes().map(|(given, own)| (given.to_owned(), own)).collect();
        nodes.sort();
        let want = [("b7", "b1"), ("node", "b0")].map(|(given, own)| (given.into(), own.into()));
        assert_eq!(nodes, want);
        assert_eq!(transaction.commit().unwrap().added, 4);

        let mut removed = writer.begin().unwrap();
        removed.remove(lamp.as_ref()).unwrap();
        removed.remove(of_blank("b0").as_ref()).unwrap();
        removed.remove(of_blank("node").as_ref()).unwrap();
        removed.clear_graph(graph.as_ref().into()).unwrap();
        assert_eq!(removed.commit().unwrap().removed, 3);
        let name = NamedOrBlankNode::from(graph);
        assert_eq!(all(writer.store()), [of_blank("b1")]);
        assert_eq!(writer.store().graph_names().unwrap(), vec![name.clone()]);

        let mut gone = writer.begin().unwrap();
        gone.drop_graph(name.as_ref()).unwrap();
        gone.clear().unwrap();
        gone.commit().unwrap();
        assert_eq!(
            (all(writer.store()), writer.store().has_graph(name.as_ref()).unwrap()),
            (vec![], false)
        );
    }
}
