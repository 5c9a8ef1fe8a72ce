drop table lane_chunk;
