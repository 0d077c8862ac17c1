# shellcheck shell=bash disable=SC2034 # for those that source it
# SPDX-License-Identifier: MIT
# Sourced by tests of a farm: a Slurm of four nodes on this machine, all of whose files are in a folder, with a munge and
# ports of its own. Needs root, and Debian's munge and slurm-wlm.

# Prints what is missing for it, or nothing.
slurm_lacks() {
  local program
  for program in munged slurmctld slurmd sbatch scontrol; do
    command -v $program >/dev/null || { echo "$program (Debian: munge slurm-wlm)"; return; }
  done
  [ "$(id -u)" = 0 ] || echo "root, as whom munged, slurmctld and slurmd run"
}

# slurm_up FOLDER: starts it, and sets SLURM_CONF; waits until all nodes are idle. False: it does not come up.
slurm_up() {
  local at=$1 port=$((20000 + $$ % 20000)) node tries
  mkdir -p "$at/state"
  chmod 755 "$at"
  dd if=/dev/urandom of="$at/munge.key" bs=128 count=1 2>/dev/null
  chmod 600 "$at/munge.key"
  export SLURM_CONF=$at/slurm.conf
  # No wait between scheduling runs, and none after a requeue but for the credential's life.
  cat >"$SLURM_CONF" <<CONF
ClusterName=farm
SlurmctldHost=localhost
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$at/munge.socket,cred_expire=1
StateSaveLocation=$at/state
SlurmdSpoolDir=$at/spool-%n
SlurmctldPidFile=$at/slurmctld.pid
SlurmdPidFile=$at/slurmd-%n.pid
SlurmctldLogFile=$at/slurmctld.log
SlurmdLogFile=$at/slurmd-%n.log
SlurmctldPort=$port
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
ReturnToService=2
JobRequeue=1
KillWait=1
CompleteWait=0
MinJobAge=600
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
NodeName=farm[1-4] NodeHostname=localhost NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=1
PartitionName=night Nodes=farm[1-4] Default=YES State=UP MaxTime=INFINITE
CONF
  slurm_pids=()
  munged --foreground --force --socket="$at/munge.socket" --key-file="$at/munge.key" --pid-file="$at/munge.pid" \
    --seed-file="$at/munge.seed" --log-file="$at/munge.log" 2>/dev/null &
  slurm_pids+=($!)
  for tries in $(seq 50); do [ -S "$at/munge.socket" ] && break; sleep 0.1; done
  slurmctld -D 2>/dev/null >&2 &
  slurm_pids+=($!)
  for node in 1 2 3 4; do
    mkdir -p "$at/spool-farm$node"
    slurmd -D -N farm$node 2>/dev/null >&2 &
    slurm_pids+=($!)
  done
  for tries in $(seq 300); do
    [ "$(sinfo -h -o %T 2>/dev/null)" = idle ] && return 0
    sleep 0.1
  done
  return 1
}

# Ends what slurm_up has started.
slurm_down() {
  scancel -u root 2>/dev/null
  kill "${slurm_pids[@]}" 2>/dev/null
  wait "${slurm_pids[@]}" 2>/dev/null
}
