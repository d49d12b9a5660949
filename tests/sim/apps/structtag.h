/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A packet tag that is a struct: Data is trivially copyable and has a type name of its own, static const char *tag_name
 * ().
 */
#ifndef SIM_STRUCT_TAG_H
#define SIM_STRUCT_TAG_H

#include <ns3/tag.h>
#include <type_traits>

namespace sim
{

template <class Data> class StructTag : public ns3::Tag, public Data
{
  static_assert (std::is_trivially_copyable<Data>::value, "a tag is copied byte by byte");

public:
  static ns3::TypeId
  GetTypeId ()
  {
    static ns3::TypeId id =
        ns3::TypeId (Data::tag_name ()).template SetParent<ns3::Tag> ().template AddConstructor<StructTag> ();
    return id;
  }

  ns3::TypeId
  GetInstanceTypeId () const override
  {
    return GetTypeId ();
  }

  uint32_t
  GetSerializedSize () const override
  {
    return sizeof (Data);
  }

  void
  Serialize (ns3::TagBuffer buffer) const override
  {
    buffer.Write (reinterpret_cast<const uint8_t *> (static_cast<const Data *> (this)), sizeof (Data));
  }

  void
  Deserialize (ns3::TagBuffer buffer) override
  {
    buffer.Read (reinterpret_cast<uint8_t *> (static_cast<Data *> (this)), sizeof (Data));
  }

  void
  Print (std::ostream &os) const override
  {
    os << Data::tag_name ();
  }
};

} // namespace sim
#endif
