/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ts-va-encoder-session.c: how a session begins and how it repeats what it is: preludes,
 * registrations, bundles. */
#define G_LOG_DOMAIN "ts-decode"

#include "config.h"

#include "ts-va-encoder.h"

/* The dialects with sequence bytes also have typed flag groups. */
static gboolean
has_flag_groups (const TsVaEncoder *self)
{
  return self->dialect >= TS_VA_DIALECT_V3;
}

/**
 * ts_va_encoder_prelude:
 * @self: an encoder
 * @setup: what the firmware is
 * @time: ticks, for the checkpoint
 *
 * Starts a session: numbers begin at 0 again, then marker, `SES:START`, checkpoint, `CLK:`,
 * interrupt 1, flag groups, system name in the order of the dialect.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 2.3 and 11.1
 */
void
ts_va_encoder_prelude (TsVaEncoder *self,
                       const TsVaSetup *setup,
                       guint64 time)
{
  gboolean no_rtos = (setup->build_flags & 1) != 0;

  self->sequence = 0;
  ts_va_encoder_marker (self);
  ts_va_encoder_info (self, "SES:START");
  ts_va_encoder_checkpoint (self, time);
  ts_va_encoder_clock (self, setup->clock_hz);
  if (setup->has_isrs)
    ts_va_encoder_name (self, TS_VA_ISR_MAP, 1, "SysTick", -1);
  if (has_flag_groups (self))
    {
      ts_va_encoder_config_flags (self, 1, setup->categories);
      ts_va_encoder_config_flags (self, 2, setup->build_flags);
      if (self->dialect == TS_VA_DIALECT_WIRE1)
        ts_va_encoder_config_flags (self, 3, setup->version);
    }
  else if (no_rtos)
    ts_va_encoder_name (self, TS_VA_CONFIG_FLAGS, 0, "NO_RTOS", -1);
  ts_va_encoder_name (self, TS_VA_OS_INFO, 0, setup->os, -1);
}

/**
 * ts_va_encoder_register_task:
 * @self: an encoder
 * @task: a task
 * @time: ticks
 *
 * Appends the packets that announce a task: name (70) and creation (03).
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 11.3
 */
void
ts_va_encoder_register_task (TsVaEncoder *self,
                             const TsVaTask *task,
                             guint64 time)
{
  ts_va_encoder_name (self, TS_VA_TASK_MAP, task->id, task->name, -1);
  ts_va_encoder_event_3u32 (self, TS_VA_TASK_CREATE, task->id, time, (guint32) task->priority,
                            (guint32) task->base_priority, task->stack_size);
}

/**
 * ts_va_encoder_register_object:
 * @self: an encoder
 * @object: a synchronisation object
 *
 * Appends its map packet and, in wire 1, the facts that are known about it: type, capacity, element
 * size, address, heap capacity.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 6.4, 11.2 and 11.3
 */
void
ts_va_encoder_register_object (TsVaEncoder *self,
                               const TsVaSyncObject *object)
{
  ts_va_encoder_name (self, object->map_code, object->id, object->name, -1);
  if (self->dialect != TS_VA_DIALECT_WIRE1)
    return;

  if (object->object_type >= 0)
    ts_va_encoder_object_info (self, object->id, 3, (guint32) object->object_type);
  if (object->capacity >= 0)
    ts_va_encoder_object_info (self, object->id, 4, (guint32) object->capacity);
  if (object->element_size >= 0)
    ts_va_encoder_object_info (self, object->id, 5, (guint32) object->element_size);
  if (object->address != 0)
    ts_va_encoder_object_info (self, object->id, 2, object->address);
  if (object->heap_capacity != 0)
    ts_va_encoder_object_info (self, object->id, 1, object->heap_capacity);
}

/**
 * ts_va_encoder_register_name:
 * @self: an encoder
 * @name: a channel, interrupt, user event, pin or heap gauge
 *
 * Appends its map packet.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md section 6.1
 */
void
ts_va_encoder_register_name (TsVaEncoder *self,
                             const TsVaUserName *name)
{
  if (name->code == TS_VA_USER_TRACE_MAP)
    ts_va_encoder_user_trace (self, name->id, (guint8) name->value, name->name, -1);
  else if (name->code == TS_VA_HEAP_INFO)
    ts_va_encoder_heap_info (self, name->id, name->value, name->name, -1);
  else
    ts_va_encoder_name (self, name->code, name->id, name->name, -1);
}

/**
 * ts_va_encoder_bundle:
 * @self: an encoder
 * @setup: what lives now
 * @time: ticks of its event packets
 *
 * Appends a setup bundle: marker, checkpoint, `CLK:`, system name, flag groups, tasks, objects,
 * user names, latched errors.
 *
 * Thread: owner
 * Source: viewalyzer-wire.md sections 2.3 and 11.2
 */
void
ts_va_encoder_bundle (TsVaEncoder *self,
                      const TsVaSetup *setup,
                      guint64 time)
{
  ts_va_encoder_marker (self);
  ts_va_encoder_checkpoint (self, time);
  ts_va_encoder_clock (self, setup->clock_hz);
  ts_va_encoder_name (self, TS_VA_OS_INFO, 0, setup->os, -1);
  if (has_flag_groups (self))
    {
      ts_va_encoder_config_flags (self, 1, setup->categories);
      ts_va_encoder_config_flags (self, 2, setup->build_flags);
      if (self->dialect == TS_VA_DIALECT_WIRE1)
        ts_va_encoder_config_flags (self, 3, setup->version);
    }
  for (guint i = 0; i < setup->n_tasks; i++)
    {
      const TsVaTask *task = &setup->tasks[i];

      ts_va_encoder_register_task (self, task, time);
      if (task->stack_total != 0)
        ts_va_encoder_event_2u32 (self, TS_VA_STACK_USAGE, task->id, time, task->stack_used,
                                  task->stack_total);
    }
  for (guint i = 0; i < setup->n_objects; i++)
    ts_va_encoder_register_object (self, &setup->objects[i]);
  for (guint i = 0; i < setup->n_names; i++)
    ts_va_encoder_register_name (self, &setup->names[i]);
  for (guint i = 0; setup->errors != NULL && setup->errors[i] != NULL; i++)
    ts_va_encoder_info (self, setup->errors[i]);
}
