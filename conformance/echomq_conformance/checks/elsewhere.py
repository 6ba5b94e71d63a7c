"""Clauses that a backend alone cannot show: tests of the project that break servers and wires.

Each names its test; the kit's own tests demand that the test exists.
"""

from __future__ import annotations

__all__ = ["ELSEWHERE"]

ELSEWHERE: dict[str, tuple[str, ...]] = {
    "KEYS-2b": (
        "wire/test_wrong_types.py::test_a_key_of_another_type_refuses_the_verb_and_nothing_is_written",
    ),
    "KEYS-2c": (
        "hazards/test_scale.py::test_keys_2c_a_full_server_refuses_admission_only_and_can_be_emptied",
        "hostile/test_memory.py::test_keys_2c_no_verb_is_half_done_at_the_limit",
        "hostile/test_memory.py::test_keys_2c_a_bulk_admission_that_fills_the_server_tells_of_each_item",
    ),
    "RING-5": ("hazards/test_scale.py::test_ring_5_claims_cost_the_same_beside_10_000_full_lanes",),
    "ERR-midway": (
        "wire/test_wrong_types.py::test_verb_bulk_items_before_a_key_of_another_type_stand",
    ),
    "WAKE-3": (
        "valkey/test_outages.py::test_wake_3_parking_takes_no_connection_from_settling_verbs",
    ),
    "CONN-1": (
        "valkey/test_conversations.py::test_conn_1_lost_write_is_never_repeated",
        "valkey/test_clients.py::test_conn_1_client_that_may_repeat_is_refused_with_the_line_to_use",
    ),
    "CONN-2": (
        "valkey/test_lost_replies.py::test_conn_2_eaten_reply_means_once_and_unknown_or_the_plain_answer",
        "valkey/test_lost_replies.py::test_conn_2_no_connection_is_not_applied",
    ),
    "CONN-3": (
        "valkey/test_outages.py::test_conn_3_cancelled_claim_never_gives_its_reply_to_another_call",
    ),
    "CONN-4": (
        "valkey/test_outages.py::test_conn_4_restart_under_parked_and_busy_consumers",
        "valkey/test_sentinel.py::test_conn_4_failover_under_a_parked_consumer",
        "cluster/test_failover.py::test_conn_4_graceful_failover_under_load_loses_nothing_that_was_acknowledged",
        "cluster/test_failover.py::test_conn_4_parked_consumer_of_a_killed_primary_returns_in_time_and_goes_on",
    ),
    "CONN-5": ("hazards/test_scale.py::test_conn_5_draining_200_000_jobs_goes_in_bounded_steps",),
    "CONN-7": ("valkey/test_connecting.py::test_conn_7_minimal_user_may_use_every_verb",),
    "CONN-8": ("valkey/test_many_callers.py::test_conn_8_two_hundred_threads_share_a_backend",),
    "CONN-9": (
        "cluster/test_slot_moves.py::test_keys_2_hazard_32_no_verb_acts_on_half_of_a_queue_at_any_point_of_a_move",
        "cluster/test_slot_moves.py::test_conn_9_a_stale_map_costs_a_detour_and_nothing_else",
        "cluster/test_slot_moves.py::test_conn_9_no_verb_is_served_by_a_replica",
        "cluster/test_placement.py::test_keys_1_every_verb_answers_the_same_on_queues_of_every_node",
    ),
    "HOSTILE-1": (
        "hostile/test_memory.py::test_hostile_1_what_is_evicted_costs_no_slot_and_the_queue_can_be_emptied",
    ),
    "HOSTILE-2": (
        "hostile/test_roads.py::test_hostile_2_a_replica_gets_nothing_done_and_the_same_call_serves_once_it_is_promoted",
        "hostile/test_roads.py::test_hostile_2_check_warns_that_a_server_is_a_replica",
    ),
    "HOSTILE-3": (
        "hostile/test_roads.py::test_hostile_3_a_server_full_of_clients_costs_new_connections_only",
    ),
    "HOSTILE-4": (
        "hostile/test_roads.py::test_hostile_4_a_slow_server_costs_the_answer_and_never_a_second_run",
        "hostile/test_roads.py::test_hostile_4_an_enqueue_with_a_minted_id_is_sent_twice_and_admits_one_job",
        "hostile/test_roads.py::test_hostile_4_a_park_is_not_ended_by_the_read_time_out_nor_by_a_slow_server",
    ),
    "HOSTILE-5": (
        "hostile/test_roads.py::test_hostile_5_tls_with_the_right_client_certificate_only",
    ),
    "HOSTILE-6": (
        "hostile/test_restarts.py::test_hostile_6_an_append_only_file_that_is_always_written_loses_nothing_acknowledged",
        "hostile/test_restarts.py::test_hostile_6_without_persistence_the_queue_is_empty_and_everybody_goes_on",
    ),
    "HOSTILE-7": (
        "hostile/test_clock_steps.py::test_hostile_7_a_step_forward_ends_leases_early_and_loses_nothing",
        "hostile/test_clock_steps.py::test_hostile_7_a_step_back_ends_leases_late_and_loses_nothing",
    ),
    "OPEN-1": (
        "valkey/test_embedded_server.py::test_embedded_url_that_was_never_used_starts_nothing",
    ),
}
"""Clause → tests, as paths below the project's `conformance/tests`."""
