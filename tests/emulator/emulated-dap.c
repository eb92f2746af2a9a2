/* SPDX-License-Identifier: GPL-3.0-or-later */
/* emulated-dap.c: an Arm debug port, its memory access port, and the wire before them. */
#define G_LOG_DOMAIN "ts-test"
#include "config.h"

#include "emulated-dap.h"

#define DPIDR 0x2BA01477u
#define RESET_ONES 50
#define ORUNDETECT 1u
#define STICKYERR (1u << 5)
#define READOK (1u << 6)
#define POWER_UP 0x50000000u
/* Clocks of an answer: acknowledge, data, parity, and a turn. Source: probes.md section 5 */
#define N_ACK 3
#define N_READ 38
#define N_WRITE_TURN 5
#define N_WRITE 38

/* Reads or writes the word TAR points at, in the width CSW says. */
static gboolean
access_memory (EmuDap *self,
               gboolean is_read,
               guint32 address,
               guint32 *value)
{
  guint width = 1u << MIN (self->csw & 7, 2);
  guint shift = 8 * (address & 3);
  guint8 bytes[4] = { 0 };

  if (address % width != 0)
    return FALSE;
  if (is_read)
    {
      if (!fake_target_read (self->probe->target, address, bytes, width))
        return FALSE;
      *value = emu_get_u32 (bytes) << shift;
      self->probe->n_bytes_read += width;
      return TRUE;
    }
  emu_put_u32 (bytes, *value >> shift);

  return fake_target_write (self->probe->target, address, bytes, width);
}

/* TAR of a Cortex-M4 counts within 4 KiB. Source: probes.md section 5 */
static void
count_on (EmuDap *self)
{
  if ((self->csw & 0x30) == 0x10)
    self->tar = (self->tar & ~0xFFFu) | ((self->tar + (1u << MIN (self->csw & 7, 2))) & 0xFFF);
}

/* Whether an access to the port goes through now. */
static guint
check_access (EmuDap *self)
{
  EmuProbe *probe = self->probe;
  guint ack = EMU_ACK_OK;

  if (self->is_sticky || (self->ctrl_stat & POWER_UP) != POWER_UP)
    return EMU_ACK_FAULT;
  probe->n_accesses++;
  if (probe->wait_every != 0 && probe->n_accesses % probe->wait_every == 0)
    ack = EMU_ACK_WAIT;
  else if (probe->n_accesses == probe->status_at)
    ack = probe->status;
  /* with overrun detection whatever follows in the same batch must fail */
  self->is_sticky = ack == EMU_ACK_FAULT
                    || (ack != EMU_ACK_OK && (self->ctrl_stat & ORUNDETECT) != 0);

  return ack;
}

static void
access_port (EmuDap *self,
             gboolean is_read,
             guint number,
             guint32 *value)
{
  guint reg = (self->select & 0xF0) | number;
  gboolean is_good = TRUE;

  if (is_read)
    *value = 0;
  if (self->select >> 24 != self->probe->core_port)
    return;
  switch (reg)
    {
    case 0x00:
      if (is_read)
        *value = self->csw | 0x40;
      else /* packed transfers are not for this port */
        self->csw = (*value & 0x30) == 0x20 ? *value & ~0x30u : *value;
      break;
    case 0x04:
      if (is_read)
        *value = self->tar;
      else
        self->tar = *value;
      break;
    case 0x0C:
      is_good = access_memory (self, is_read, self->tar, value);
      count_on (self);
      break;
    case 0x10:
    case 0x14:
    case 0x18:
    case 0x1C:
      is_good = access_memory (self, is_read, (self->tar & ~0xFu) + (reg & 0xC), value);
      break;
    case 0xF8:
      *value = is_read ? 0xE00FF003 : 0;
      break;
    case 0xFC:
      *value = is_read ? 0x24770011 : 0;
      break;
    default:
      break;
    }
  /* the fault shows at the next access */
  self->is_sticky = self->is_sticky || !is_good;
}

/*
 * One access to a register of the debug port (@is_port: of the access port). A read of the access
 * port gives what it read at once; the wire's habit of posting is made by emu_swd_clock().
 */
guint
emu_dap_access (EmuDap *self,
                gboolean is_port,
                gboolean is_read,
                guint number,
                guint32 *value)
{
  if (fake_target_is_silent (self->probe->target))
    return EMU_ACK_NONE;
  if (is_port)
    {
      guint ack = check_access (self);

      if (ack == EMU_ACK_OK)
        access_port (self, is_read, number, value);
      return ack;
    }
  switch (number)
    {
    case 0:
      if (is_read)
        *value = DPIDR;
      else if ((*value & 0x1E) != 0)
        self->is_sticky = FALSE;
      return EMU_ACK_OK;
    case 4:
      if (is_read)
        *value = (self->ctrl_stat & POWER_UP) * 3 | (self->ctrl_stat & ORUNDETECT)
                 | (self->is_sticky ? STICKYERR : READOK);
      else
        self->ctrl_stat = *value & (POWER_UP | ORUNDETECT);
      return EMU_ACK_OK;
    case 8:
      if (self->is_sticky)
        return EMU_ACK_FAULT;
      if (!is_read)
        self->select = *value;
      else
        *value = self->rdbuff;
      return EMU_ACK_OK;
    default:
      if (self->is_sticky)
        return EMU_ACK_FAULT;
      if (is_read)
        *value = self->rdbuff;
      return EMU_ACK_OK;
    }
}

void
emu_dap_line_reset (EmuDap *self)
{
  self->select = 0;
}

void
emu_swd_init (EmuSwd *self,
              EmuProbe *probe)
{
  self->dap.probe = probe;
  self->dap.csw = 0x23000052;
  self->is_lost = TRUE;
}

static gboolean
is_port_request (guint8 request)
{
  return (request & 2) != 0;
}

static gboolean
is_read_request (guint8 request)
{
  return (request & 4) != 0;
}

static guint
get_number (guint8 request)
{
  return (guint) (request >> 1) & 0xC;
}

/* A whole request has arrived. */
static void
begin (EmuSwd *self)
{
  guint8 r = self->request;
  guint ones = (guint) __builtin_popcount (r & 0x3E);
  gboolean is_well_formed = (r & 0xC1) == 0x81 && ones % 2 == 0;
  gboolean is_first_read = !is_port_request (r) && is_read_request (r) && get_number (r) == 0;

  self->n_request = 0;
  self->request = 0;
  if (!is_well_formed || (self->is_reset && !is_first_read))
    {
      self->is_lost = TRUE;
      return;
    }
  self->is_reset = FALSE;
  self->request = r;
  self->at = 1;
  self->data = 0;
  self->parity = 0;
  self->ack = EMU_ACK_OK;
  if (is_read_request (r))
    {
      guint32 value = 0;

      self->ack = emu_dap_access (&self->dap, is_port_request (r), TRUE, get_number (r), &value);
      self->data = value;
      if (is_port_request (r) && self->ack == EMU_ACK_OK)
        {
          self->data = self->dap.rdbuff;
          self->dap.rdbuff = value;
        }
      self->parity = (guint) __builtin_popcount (self->data) & 1;
    }
  else if (fake_target_is_silent (self->dap.probe->target))
    self->ack = EMU_ACK_NONE;
  else if (is_port_request (r))
    self->ack = check_access (&self->dap);
  else if (self->dap.is_sticky && get_number (r) != 0 && get_number (r) != 4)
    self->ack = EMU_ACK_FAULT;
  if (self->ack == EMU_ACK_NONE)
    {
      self->is_lost = TRUE;
      self->at = 0;
    }
}

/* The data of a write are whole; the wire cannot take the acknowledge back. */
static void
end_write (EmuSwd *self,
           guint parity)
{
  guint32 value = self->data;

  if (self->ack != EMU_ACK_OK)
    return;
  if (((guint) __builtin_popcount (value) & 1) != parity)
    {
      self->dap.is_sticky = TRUE;
      return;
    }
  if (is_port_request (self->request))
    access_port (&self->dap, FALSE, get_number (self->request), &value);
  else
    (void) emu_dap_access (&self->dap, FALSE, FALSE, get_number (self->request), &value);
}

/* A clock within an answer; what the target drives. */
static guint
answer (EmuSwd *self,
        guint bit)
{
  guint at = self->at - 1;
  gboolean is_read = is_read_request (self->request);
  gboolean has_data = self->ack == EMU_ACK_OK || (self->dap.ctrl_stat & ORUNDETECT) != 0;
  guint driven = 1;

  self->at++;
  if (at < N_ACK)
    driven = self->ack >> at & 1;
  else if (is_read && has_data && at < N_ACK + 32)
    driven = self->data >> (at - N_ACK) & 1;
  else if (is_read && has_data && at == N_ACK + 32)
    driven = self->parity;
  else if (!is_read && has_data && at >= N_WRITE_TURN && at < N_WRITE_TURN + 32)
    self->data |= (guint32) bit << (at - N_WRITE_TURN);
  else if (!is_read && has_data && at == N_WRITE_TURN + 32)
    end_write (self, bit);

  if (self->at > (has_data ? (is_read ? (guint) N_READ : (guint) N_WRITE) : (guint) N_WRITE_TURN))
    self->at = 0;

  return driven;
}

/* One clock of the wire; what the host hears. */
guint
emu_swd_clock (EmuSwd *self,
               gboolean is_driven,
               guint bit)
{
  guint heard = is_driven ? bit : 1;

  self->n_ones = is_driven && bit != 0 ? self->n_ones + 1 : 0;
  if (self->n_ones >= RESET_ONES)
    {
      emu_dap_line_reset (&self->dap);
      self->is_lost = FALSE;
      self->is_reset = TRUE;
      self->n_request = 0;
      self->at = 0;
      return heard;
    }
  if (self->is_lost)
    return heard;
  if (self->at > 0)
    {
      guint driven = answer (self, bit);

      return is_driven ? heard : driven;
    }
  if (!is_driven || (self->n_request == 0 && bit == 0))
    return heard; /* idle */
  self->request |= (guint8) (bit << self->n_request);
  if (self->n_request == 0)
    self->request = (guint8) bit;
  if (++self->n_request == 8)
    begin (self);

  return heard;
}
