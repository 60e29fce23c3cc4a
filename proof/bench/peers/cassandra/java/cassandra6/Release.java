// What is particular to Cassandra 6.0.
import java.io.File;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.cassandra.config.*;
import org.apache.cassandra.cql3.*;
import org.apache.cassandra.cql3.RowUpdateBuilder.RegularRowUpdateBuilder;
import org.apache.cassandra.cql3.statements.ModificationStatement;
import org.apache.cassandra.cql3.statements.schema.CreateTableStatement;
import org.apache.cassandra.db.*;
import org.apache.cassandra.db.filter.ColumnFilter;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.dht.Murmur3Partitioner;
import org.apache.cassandra.io.sstable.*;
import org.apache.cassandra.io.sstable.format.*;
import org.apache.cassandra.schema.*;
import org.apache.cassandra.service.ClientState;
import org.apache.cassandra.tcm.ClusterMetadataService;

final class Release {
    static void init(boolean isBti) {
        CassandraRelevantProperties.FORCE_LOAD_LOCAL_KEYSPACES.setBoolean(true);
        DatabaseDescriptor.clientInitialization(false);
        if (DatabaseDescriptor.getPartitioner() == null) DatabaseDescriptor.setPartitionerUnsafe(Murmur3Partitioner.instance);
        ClusterMetadataService.initializeForClients();
        Keyspace.setInitialized();
        DatabaseDescriptor.setSelectedSSTableFormat(DatabaseDescriptor.getSSTableFormats().get(isBti ? "bti" : "big"));
    }

    static void setBlockKib(int kib) { DatabaseDescriptor.setColumnIndexSizeInKiB(kib); }
    static TableMetadata.Builder builder(CreateTableStatement statement, Types types) { return statement.builder(types, UserFunctions.none()); }

    static TableMetadata load(TableMetadata table, Types types) {
        Schema.instance.submit(SchemaTransformations.addKeyspace(KeyspaceMetadata.create("ks", KeyspaceParams.simple(1)), true));
        Schema.instance.submit(SchemaTransformations.addTypes(types, true));
        Schema.instance.submit(SchemaTransformations.addTable(table, true));
        return Schema.instance.getTableMetadata("ks", table.name);
    }

    static List<PartitionUpdate> apply(TableMetadata table, ModificationStatement statement, int clock) throws Exception {
        QueryOptions options = QueryOptions.DEFAULT;
        ClientState client = ClientState.forInternalCalls();
        RowUpdateBuilder parameters = new RegularRowUpdateBuilder(table, client, options,
            statement.getTimestamp(clock * 1_000_000L, options), clock, statement.getTimeToLive(options), Collections.emptyMap());
        List<PartitionUpdate> updates = new ArrayList<>();
        for (ByteBuffer key : statement.buildPartitionKeyNames(options, client)) {
            PartitionUpdate.Builder builder = new PartitionUpdate.Builder(table, table.partitioner.decorateKey(key), table.regularAndStaticColumns(), 4);
            if (statement.hasSlices()) for (Slice slice : statement.createSlices(options)) statement.addUpdateForKey(builder, slice, parameters);
            else for (Clustering<?> clustering : statement.createClustering(options, client)) statement.addUpdateForKey(builder, clustering, parameters);
            updates.add(builder.build());
        }
        return updates;
    }

    static SSTableTxnWriter writer(File folder, TableMetadata table, int generation, long keyCount, SerializationHeader header) {
        Descriptor descriptor = new Descriptor(new org.apache.cassandra.io.util.File(folder), table.keyspace, table.name,
            new SequenceBasedSSTableId(generation), DatabaseDescriptor.getSelectedSSTableFormat());
        return SSTableTxnWriter.create(TableMetadataRef.forOfflineTools(table), descriptor, keyCount, 0, null, false, header, Collections.emptySet(), null);
    }

    static SSTableReader open(File data, TableMetadata table) {
        Descriptor descriptor = Descriptor.fromFile(new org.apache.cassandra.io.util.File(data));
        return SSTableReader.openNoValidation(null, descriptor, TableMetadataRef.forOfflineTools(table));
    }

    static UnfilteredRowIterator read(SSTableReader reader, DecoratedKey key, Slices slices, TableMetadata table, boolean isReverse) {
        return reader.rowIterator(key, slices, ColumnFilter.all(table), isReverse, SSTableReadsListener.NOOP_LISTENER);
    }
}
