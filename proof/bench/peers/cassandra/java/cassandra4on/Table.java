// A table, over the storage classes of Cassandra 4.1 and later. What differs between those is in Release.
import java.io.File;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.cassandra.cql3.*;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.cql3.statements.schema.*;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.*;
import org.apache.cassandra.io.sstable.SSTableTxnWriter;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.*;
import org.apache.cassandra.service.ClientState;

final class Table {
    /** Every deletion and expiry is made as if it were this second. */
    static final int CLOCK = 1_700_000_000;

    static void init(boolean isBti) { Release.init(isBti); }
    static void setBlockKib(int kib) { Release.setBlockKib(kib); }

    private static final Map<String, Table> known = new HashMap<>();
    final TableMetadata metadata;

    private Table(TableMetadata metadata) { this.metadata = metadata; }

    /** Of a schema in keyspace ks: statements CREATE TYPE and one CREATE TABLE, separated by ";". */
    static Table of(String schema) throws Exception {
        Table old = known.get(schema);
        if (old != null) return old;
        Types.RawBuilder raw = Types.rawBuilder("ks");
        CreateTableStatement.Raw create = null;
        for (String part : schema.split(";")) {
            if (part.trim().isEmpty()) continue;
            CQLStatement.Raw statement = QueryProcessor.parseStatement(part.trim());
            if (statement instanceof CreateTypeStatement.Raw) ((CreateTypeStatement.Raw) statement).addToRawBuilder(raw);
            else create = (CreateTableStatement.Raw) statement;
        }
        Types types = raw.build();
        TableMetadata metadata = Release.builder((CreateTableStatement) create.prepare(ClientState.forInternalCalls()), types).build();
        Table table = new Table(Release.load(metadata, types));
        known.put(schema, table);
        return table;
    }

    DecoratedKey key(ByteBuffer bytes) { return metadata.partitioner.decorateKey(bytes); }
    ClusteringComparator comparator() { return metadata.comparator; }

    Row row(Clustering<?> clustering, String column, long timestamp, ByteBuffer value) {
        ColumnMetadata definition = metadata.getColumn(new ColumnIdentifier(column, true));
        return BTreeRow.singleCellRow(clustering, BufferCell.live(definition, timestamp, value));
    }

    PartitionUpdate update(DecoratedKey key, Row row) { return PartitionUpdate.singleRowUpdate(metadata, key, row); }

    UnfilteredRowIterator stream(DecoratedKey key, EncodingStats stats, Iterator<Row> rows) {
        return new AbstractUnfilteredRowIterator(metadata, key, DeletionTime.LIVE, metadata.regularAndStaticColumns(), Rows.EMPTY_STATIC_ROW, false, stats) {
            protected Unfiltered computeNext() { return rows.hasNext() ? rows.next() : endOfData(); }
        };
    }

    /** The updates that a statement makes. */
    List<PartitionUpdate> apply(String text) throws Exception {
        CQLStatement.Raw raw = QueryProcessor.parseStatement(text);
        return Release.apply(metadata, (ModificationStatement) raw.prepare(ClientState.forInternalCalls()), CLOCK);
    }

    SSTableTxnWriter writer(File folder, int generation, long keyCount, EncodingStats stats) {
        folder.mkdirs();
        SerializationHeader header = new SerializationHeader(true, metadata, metadata.regularAndStaticColumns(), stats);
        return Release.writer(folder, metadata, generation, keyCount, header);
    }

    SSTableReader open(File data) throws Exception { return Release.open(data, metadata); }

    UnfilteredRowIterator read(SSTableReader reader, DecoratedKey key, Slices slices, boolean isReverse) {
        return Release.read(reader, key, slices, metadata, isReverse);
    }

    static UnfilteredRowIterator merge(List<UnfilteredRowIterator> parts, int now) { return UnfilteredRowIterators.merge(parts); }
    static ClusteringBound bound(ClusteringPrefix.Kind kind, ByteBuffer... values) { return BufferClusteringBound.create(kind, values); }
    static ByteBuffer part(ClusteringPrefix prefix, int at) { return prefix.bufferAt(at); }
    static ByteBuffer value(Cell cell) { return cell.buffer(); }
}
