/* SPDX-License-Identifier: GPL-2.0-only */

#ifndef RDMA_TEST_SONIC_H
#define RDMA_TEST_SONIC_H

#include <string>

/**
 * \file
 * \ingroup rdma-tests
 * A small SONiC configuration: four ports, three lossy classes in one priority group, the lossless
 * classes 3 and 4 with profiles of their own, in both styles of references.
 */

namespace ns3
{

/** buffers.json */
inline const std::string SONIC_BUFFERS = R"({
"BUFFER_POOL": {
  "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "3000000", "xoff": "500000"},
  "ingress_lossy_pool": {"type": "ingress", "mode": "dynamic", "size": "1000000"},
  "egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "900000"},
  "egress_lossless_pool": {"type": "egress", "mode": "static", "size": "4500000"}
},
"BUFFER_PROFILE": {
  "ingress_lossy_profile": {"pool": "[BUFFER_POOL|ingress_lossy_pool]", "size": "0", "dynamic_th": "3"},
  "egress_lossy_profile": {"pool": "egress_lossy_pool", "size": "1518", "dynamic_th": "-1"},
  "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "4500000"},
  "pg_lossless_bulk": {"pool": "ingress_lossless_pool", "size": "1248", "xon": "2288", "xon_offset": "2500", "xoff": "60000", "dynamic_th": "-3"},
  "pg_lossless_real_time": {"pool": "ingress_lossless_pool", "size": 2496, "xoff": "60000", "dynamic_th": "-2"}
},
"BUFFER_PG": {
  "Ethernet0,Ethernet4,Ethernet8,Ethernet12|0": {"profile": "[BUFFER_PROFILE|ingress_lossy_profile]"},
  "Ethernet0,Ethernet4,Ethernet8,Ethernet12|3": {"profile": "pg_lossless_bulk"},
  "Ethernet0,Ethernet4,Ethernet8,Ethernet12|4": {"profile": "pg_lossless_real_time"}
},
"BUFFER_QUEUE": {
  "Ethernet0,Ethernet4,Ethernet8,Ethernet12|0-2": {"profile": "egress_lossy_profile"},
  "Ethernet0,Ethernet4,Ethernet8,Ethernet12|3-4": {"profile": "[BUFFER_PROFILE|egress_lossless_profile]"}
},
"CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "5m"}}
}
)";

/** qos.json; queues 1 and 2 are those of classes 2 and 1 */
inline const std::string SONIC_QOS = R"({
"DSCP_TO_TC_MAP": {"AZURE": {"0": "1", "3": "3", "4": "4", "5": "2", "8": "0"}},
"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "0", "1": "0", "2": "0", "3": "3", "4": "4"}},
"TC_TO_QUEUE_MAP": {"AZURE": {"0": "0", "1": "2", "2": "1", "3": "3", "4": "4"}},
"MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": {"3": "3", "4": "4"}},
"PORT_QOS_MAP": {
  "global": {"dscp_to_tc_map": "AZURE"},
  "Ethernet0,Ethernet4": {"tc_to_queue_map": "[TC_TO_QUEUE_MAP|AZURE]", "tc_to_pg_map": "AZURE", "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"},
  "Ethernet8,Ethernet12": {"tc_to_queue_map": "AZURE", "tc_to_pg_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
},
"SCHEDULER": {
  "scheduler.0": {"type": "DWRR", "weight": "14"},
  "scheduler.1": {"type": "DWRR", "weight": "30"},
  "scheduler.2": {"type": "STRICT"}
},
"WRED_PROFILE": {"LOSSLESS": {"ecn": "ecn_all", "green_min_threshold": "50000", "green_max_threshold": "200000", "green_drop_probability": "10"}},
"QUEUE": {
  "Ethernet0,Ethernet4,Ethernet8,Ethernet12|0-2": {"scheduler": "[SCHEDULER|scheduler.0]"},
  "Ethernet0,Ethernet4,Ethernet8,Ethernet12|3": {"scheduler": "scheduler.1", "wred_profile": "LOSSLESS"},
  "Ethernet0,Ethernet4,Ethernet8,Ethernet12|4": {"scheduler": "scheduler.2"}
},
"PFC_WD": {"GLOBAL": {"POLL_INTERVAL": "200"}}
}
)";

} // namespace ns3

#endif /* RDMA_TEST_SONIC_H */
