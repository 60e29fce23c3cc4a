// A table, over the storage classes of Cassandra 3.11.
import java.io.File;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.cassandra.config.*;
import org.apache.cassandra.cql3.*;
import org.apache.cassandra.cql3.statements.*;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.*;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.io.sstable.*;
import org.apache.cassandra.io.sstable.format.*;
import org.apache.cassandra.schema.*;
import org.apache.cassandra.service.ClientState;

final class Table {
    /** Every deletion and expiry is made as if it were this second. */
    static final int CLOCK = 1_700_000_000;

    static void init(boolean isBti) {
        if (isBti) throw new UnsupportedOperationException("bti comes with Cassandra 5.0");
        // A program that needs more has initialised it.
        if (!DatabaseDescriptor.isDaemonInitialized()) DatabaseDescriptor.clientInitialization(false);
        if (DatabaseDescriptor.getPartitioner() == null) DatabaseDescriptor.setPartitionerUnsafe(Murmur3Partitioner.instance);
        Keyspace.setInitialized();
    }

    static void setBlockKib(int kib) { DatabaseDescriptor.setColumnIndexSize(kib); }

    private final CFMetaData metadata;

    private Table(CFMetaData metadata) { this.metadata = metadata; }

    /** Of a schema in keyspace ks: statements CREATE TYPE and one CREATE TABLE, separated by ";". */
    static Table of(String schema) {
        Types.RawBuilder raw = Types.rawBuilder("ks");
        String create = null;
        for (String part : schema.split(";")) {
            String text = part.trim();
            if (text.startsWith("CREATE TYPE")) addType(text, raw);
            else if (!text.isEmpty()) create = text;
        }
        Types types = raw.build();
        ParsedStatement parsed = QueryProcessor.parseStatement(create);
        ((CFStatement) parsed).prepareKeyspace("ks");
        CreateTableStatement statement = (CreateTableStatement) ((CreateTableStatement.RawStatement) parsed).prepare(types).statement;
        String name = statement.columnFamily();
        CFMetaData metadata = statement.metadataBuilder().withId(CFMetaData.generateLegacyCfId("ks", name)).build().params(statement.params());
        KeyspaceMetadata known = Schema.instance.getKSMetaData("ks");
        org.apache.cassandra.schema.Tables tables = known == null ? org.apache.cassandra.schema.Tables.none() : known.tables;
        if (tables.getNullable(name) != null) {
            Schema.instance.unload(tables.getNullable(name));
            tables = tables.without(name);
        }
        Schema.instance.load(metadata);
        Schema.instance.setKeyspaceMetadata(KeyspaceMetadata.create("ks", KeyspaceParams.simple(1), tables.with(metadata), Views.none(), types, Functions.none()));
        return new Table(metadata);
    }

    /** CREATE TYPE has no builder of its own here: its fields are cut at the commas outside of brackets. */
    private static void addType(String text, Types.RawBuilder raw) {
        String name = text.substring("CREATE TYPE".length(), text.indexOf('(')).trim().replace("ks.", "");
        String fields = text.substring(text.indexOf('(') + 1, text.lastIndexOf(')')) + ",";
        List<String> names = new ArrayList<>(), types = new ArrayList<>();
        for (int at = 0, from = 0, depth = 0; at < fields.length(); at++) {
            char c = fields.charAt(at);
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (c != ',' || depth > 0) continue;
            String[] field = fields.substring(from, at).trim().split(" ", 2);
            names.add(field[0]);
            types.add(field[1].trim());
            from = at + 1;
        }
        raw.add(name, names, types);
    }

    /** Its store, without SSTables. */
    ColumnFamilyStore store() {
        Keyspace keyspace = Keyspace.openWithoutSSTables("ks");
        keyspace.initCf(metadata, false);
        return keyspace.getColumnFamilyStore(metadata.cfName);
    }

    DecoratedKey key(ByteBuffer bytes) { return metadata.decorateKey(bytes); }
    ClusteringComparator comparator() { return metadata.comparator; }

    Row row(Clustering clustering, String column, long timestamp, ByteBuffer value) {
        ColumnDefinition definition = metadata.getColumnDefinition(org.apache.cassandra.utils.ByteBufferUtil.bytes(column));
        return BTreeRow.singleCellRow(clustering, BufferCell.live(definition, timestamp, value));
    }

    PartitionUpdate update(DecoratedKey key, Row row) { return PartitionUpdate.singleRowUpdate(metadata, key, row); }

    UnfilteredRowIterator stream(DecoratedKey key, EncodingStats stats, Iterator<Row> rows) {
        return new AbstractUnfilteredRowIterator(metadata, key, DeletionTime.LIVE, metadata.partitionColumns(), Rows.EMPTY_STATIC_ROW, false, stats) {
            protected Unfiltered computeNext() { return rows.hasNext() ? rows.next() : endOfData(); }
        };
    }

    /** The updates that a statement makes. */
    List<PartitionUpdate> apply(String text) throws Exception {
        ParsedStatement parsed = QueryProcessor.parseStatement(text);
        ((CFStatement) parsed).prepareKeyspace("ks");
        ModificationStatement statement = (ModificationStatement) parsed.prepare(ClientState.forInternalCalls()).statement;
        QueryOptions options = QueryOptions.DEFAULT;
        long timestamp = statement.getTimestamp(CLOCK * 1_000_000L, options);
        UpdateParameters parameters = new UpdateParameters(metadata, metadata.partitionColumns(), options, timestamp, statement.getTimeToLive(options), Collections.emptyMap());
        set(parameters, "nowInSec", CLOCK);
        set(parameters, "deletionTime", new DeletionTime(timestamp, CLOCK));
        List<PartitionUpdate> updates = new ArrayList<>();
        for (ByteBuffer key : statement.buildPartitionKeyNames(options)) {
            PartitionUpdate update = new PartitionUpdate(metadata, key(key), metadata.partitionColumns(), 4);
            if (statement.hasSlices()) for (Slice slice : slices(statement, options)) statement.addUpdateForKey(update, slice, parameters);
            else for (Clustering clustering : statement.createClustering(options)) statement.addUpdateForKey(update, clustering, parameters);
            updates.add(update);
        }
        return updates;
    }

    private static void set(Object object, String name, Object value) throws Exception {
        Field field = object.getClass().getDeclaredField(name);
        field.setAccessible(true);
        field.set(object, value);
    }

    /** The method's name differs between the patch releases of 3.11. */
    private static Slices slices(ModificationStatement statement, QueryOptions options) throws Exception {
        for (Method method : ModificationStatement.class.getDeclaredMethods()) {
            if (!method.getName().equals("createSlices") && !method.getName().equals("createSlice")) continue;
            method.setAccessible(true);
            return (Slices) method.invoke(statement, options);
        }
        throw new NoSuchMethodException("createSlices");
    }

    SSTableTxnWriter writer(File folder, int generation, long keyCount, EncodingStats stats) {
        folder.mkdirs();
        Descriptor descriptor = new Descriptor(folder, metadata.ksName, metadata.cfName, generation, SSTableFormat.Type.BIG);
        SerializationHeader header = new SerializationHeader(true, metadata, metadata.partitionColumns(), stats);
        return SSTableTxnWriter.create(metadata, descriptor, keyCount, 0, 0, header, Collections.emptySet());
    }

    SSTableReader open(File data) throws Exception { return SSTableReader.openNoValidation(Descriptor.fromFilename(data.getPath()), metadata); }

    UnfilteredRowIterator read(SSTableReader reader, DecoratedKey key, Slices slices, boolean isReverse) {
        return reader.iterator(key, slices, ColumnFilter.all(metadata), isReverse, false, SSTableReadsListener.NOOP_LISTENER);
    }

    static UnfilteredRowIterator merge(List<UnfilteredRowIterator> parts, int now) { return UnfilteredRowIterators.merge(parts, now); }
    static ClusteringBound bound(ClusteringPrefix.Kind kind, ByteBuffer... values) { return ClusteringBound.create(kind, values); }
    static ByteBuffer part(ClusteringPrefix prefix, int at) { return prefix.get(at); }
    static ByteBuffer value(Cell cell) { return cell.value(); }
}
