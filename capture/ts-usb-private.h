/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ts-usb-private.h: what all probes over USB have in common: finding the one that is meant, saying
 * why it cannot be opened, and a command and its answer in one go. Inside capture only.
 *
 * Thread: the owner of the probe; each probe has a context of its own, so that nobody else's events
 * are handled.
 */
#pragma once

#include <libusb.h>

#include "ts-probe.h"

G_BEGIN_DECLS

/**
 * TsUsb: an opened device
 * @context: libusb's
 * @handle: (nullable): the device
 * @number: of the claimed interface, -1: none
 * @name: for sentences: "ST-LINK"
 * @is_interrupt: its endpoints carry reports
 */
typedef struct
{
  libusb_context *context;
  libusb_device_handle *handle;
  int number;
  const char *name;
  gboolean is_interrupt;
} TsUsb;

/**
 * TsUsbIdentify:
 * @device: a device
 * @descriptor: what it is
 * @info: to be filled in when it is one of ours: description and perhaps a problem; the location
 *   is there
 *
 * Returns: whether it is one of ours
 */
typedef gboolean (*TsUsbIdentify) (libusb_device *device,
                                   const struct libusb_device_descriptor *descriptor,
                                   TsProbeInfo *info);

gboolean _ts_usb_list (const char *type,
                       TsUsbIdentify identify,
                       GPtrArray *probes,
                       GError **error);
gboolean _ts_usb_open (TsUsb *self,
                       const char *type,
                       const char *name,
                       TsUsbIdentify identify,
                       const char *wish,
                       GError **error);
gboolean _ts_usb_open_at (TsUsb *self,
                          const char *name,
                          guint8 bus,
                          const guint8 *ports,
                          gsize n_ports);
gboolean _ts_usb_is_at (libusb_device *device,
                        guint8 bus,
                        const guint8 *ports,
                        gsize n_ports);
int _ts_usb_find_interface (TsUsb *self,
                            guint8 klass);
gboolean _ts_usb_claim (TsUsb *self,
                        int number,
                        GError **error);
gboolean _ts_usb_reset (TsUsb *self);
void _ts_usb_close (TsUsb *self);
int _ts_usb_exchange (TsUsb *self,
                      guint8 out_endpoint,
                      guint8 *out,
                      gsize n_out,
                      guint8 in_endpoint,
                      guint8 *in,
                      gsize n_in,
                      gsize *n_done,
                      guint timeout_ms);
gboolean _ts_usb_fail (TsUsb *self,
                       int code,
                       GError **error);
char *_ts_usb_dup_text (libusb_device_handle *handle,
                        guint8 index);
gboolean _ts_usb_is_same_serial (const char *serial,
                                 const char *wish);
char *_ts_usb_dup_open_problem (int code,
                                const char *name,
                                const char *node);

G_END_DECLS
