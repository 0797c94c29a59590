#include "daemon/claim_work.h"

#include <gtest/gtest.h>

#include "daemon/allocation_text.h"
#include "daemon/claim_bodies.h"
#include "support/device_builder.h"
#include "support/volume_builder.h"

namespace muster::daemon {
namespace {

PersistentVolumeClaim a_waiting_claim(const std::string& name) {
  PersistentVolumeClaim claim = a_claim(name).of_class("wait").uid("uid-" + name);
  claim.meta.resource_version = "7";
  return claim;
}

VolumeCatalog a_storage() {
  VolumeCatalog catalog;
  catalog.set(StorageClass(a_storage_class("wait").waits().provisioner("example.com/disks")));
  catalog.set(StorageClass(a_storage_class("at-once")));
  return catalog;
}

TEST(ClaimWork, WhatWasReservedForWaitingClaimsIsToBeDone) {
  auto catalog = a_storage();
  catalog.set(a_waiting_claim("static"));
  catalog.set(a_waiting_claim("made"));
  catalog.set(PersistentVolumeClaim(a_claim("old").of_class("wait").bound_to("v0")));
  catalog.set(PersistentVolumeClaim(a_claim("others").of_class("at-once")));
  catalog.set(PersistentVolume(a_volume("v1").of_class("wait")));
  catalog.set(PersistentVolume(a_volume("v2").of_class("wait")));
  catalog.promise_volume("v2", "default/static");
  catalog.promise_node("default/made", "n1");
  ClaimWork work;
  add_volumes(catalog, {"default/old", "default/static", "default/others", "default/made"}, "n1", work);
  ASSERT_EQ(work.bindings.size(), 1u);
  EXPECT_EQ(work.bindings[0].volume.meta.name, "v2");
  EXPECT_EQ(work.bindings[0].claim.meta.name, "static");
  ASSERT_EQ(work.provisions.size(), 1u);
  EXPECT_EQ(work.provisions[0].meta.name, "made");
  EXPECT_TRUE(work.obstacle.empty());
}

TEST(ClaimWork, AClaimForWhichNothingWasReservedIsInTheWay) {
  auto catalog = a_storage();
  catalog.set(a_waiting_claim("c"));
  ClaimWork work;
  add_volumes(catalog, {"default/c"}, "n1", work);
  EXPECT_EQ(work.obstacle, "no volume was found for persistentvolumeclaim \"c\"");
  EXPECT_FALSE(work.empty());
}

TEST(ClaimWork, AnAllocationSaysWhichDevicesAndWhere) {
  DeviceCatalog catalog;
  DeviceRequest request = a_request("r", "gpus");
  request.tolerations.push_back({.key = "old", .op = "Exists", .value = {}, .effect = "NoExecute"});
  ResourceClaim claim = a_device_claim("c").asks(request);
  catalog.set(claim);
  const ResourceClaim given = a_device_claim("c").asks(request).has("n1", "d0");
  ShareNames shares("s-");
  ClaimWork work;
  add_devices(catalog, "default/c", given.allocation, shares, work);
  ASSERT_EQ(work.devices.size(), 1u);
  EXPECT_TRUE(work.devices[0].claim.allocation);
  EXPECT_EQ(work.devices[0].allocation,
            R"({"devices":{"results":[{"request":"r","driver":"gpu","pool":"n1","device":"d0",)"
            R"("tolerations":[{"key":"old","operator":"Exists","effect":"NoExecute"}]}]},)"
            R"("nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]}})");
}

TEST(ClaimWork, SharesOfADeviceHaveNamesOfTheirOwn) {
  const ResourceClaim claim = a_device_claim("c").asks(a_request("r", "gpus"));
  DeviceAllocation allocation;
  allocation.devices.push_back({"r", "gpu", "n1", "d0", true, true, {{"memory", Quantity::from_units(5)}}});
  const DeviceCatalog catalog;
  ShareNames shares("00000000-0000-4000-8000-");
  EXPECT_EQ(allocation_text(catalog, claim, allocation, shares),
            R"({"devices":{"results":[{"request":"r","driver":"gpu","pool":"n1","device":"d0","adminAccess":true,)"
            R"("shareID":"00000000-0000-4000-8000-000000000001","consumedCapacity":{"memory":"5"}}]}})");
  EXPECT_NE(allocation_text(catalog, claim, allocation, shares).find("000000000002"), std::string::npos);
}

// A claim whose requests "a" and "b" are of the classes that are named, and "c" of the second alternative of three.
struct ConfigCase {
  const char* what;
  std::vector<std::pair<const char*, std::vector<const char*>>> classes;  // with what they say
  const char* of_a;                                                       // classes
  const char* of_b;
  std::vector<std::pair<const char*, std::vector<std::string>>> claim;  // what it says, and of which requests
  const char* written;                                                  // in the allocation, with letters for what is said
};

std::string opaque(const std::string& letter) { return R"({"driver":"gpu","parameters":")" + letter + R"("})"; }

// "FromClass a,b x" for each entry.
std::string in_short(std::string text) {
  const auto begin = text.find(R"("config":[)");
  if (begin == std::string::npos) return "";
  text = text.substr(begin + 10, text.rfind(']') - begin - 10);
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{R"({"source":")", ""},
                                                        {R"(","requests":[")", " "},
                                                        {R"("],"opaque":{"driver":"gpu","parameters":")", " "},
                                                        {R"(","opaque":{"driver":"gpu","parameters":")", " "},
                                                        {R"("}},)", "; "},
                                                        {R"("}})", ""},
                                                        {R"(",")", ","}})
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from)) text.replace(at, from.size(), to);
  return text;
}

TEST(ClaimWork, AnAllocationSaysWhatDriversAreTold) {
  const std::vector<ConfigCase> cases = {
      {"nothing is said", {{"g", {}}, {"h", {}}}, "g", "h", {}, ""},
      {"a class, of its requests alone", {{"g", {"x"}}, {"h", {}}}, "g", "h", {}, "FromClass a x"},
      {"a class once, whoever asked for it", {{"g", {"x", "y"}}, {"h", {}}}, "g", "g", {}, "FromClass a,b x; FromClass a,b y"},
      {"classes in the order of the claim", {{"g", {"x"}}, {"h", {"y"}}}, "h", "g", {}, "FromClass a y; FromClass b x"},
      {"an alternative is named with its request", {{"two", {"x"}}, {"one", {"y"}}}, "g", "h", {}, "FromClass c/2 x"},
      {"a class of requests and alternatives", {{"two", {"x"}}}, "two", "h", {}, "FromClass a,c/2 x"},
      {"a class that is gone says nothing", {{"h", {"x"}}}, "gone", "h", {}, "FromClass b x"},
      {"the claim, of all", {}, "g", "h", {{"x", {}}}, "FromClaim x"},
      {"the claim, with all names that it has", {}, "g", "h", {{"x", {"a", "b"}}}, "FromClaim a,b x"},
      {"the claim, of all alternatives", {}, "g", "h", {{"x", {"c"}}}, "FromClaim c x"},
      {"the claim, of the alternative that was chosen", {}, "g", "h", {{"x", {"c/1"}}, {"y", {"c/2"}}}, "FromClaim c/2 y"},
      {"the claim, of one of them", {}, "g", "h", {{"x", {"c/1", "c/2"}}}, "FromClaim c/1,c/2 x"},
      {"nobody has that request", {}, "g", "h", {{"x", {"d"}}}, ""},
      {"the claim comes last", {{"g", {"x"}}}, "g", "g", {{"y", {}}, {"z", {"b"}}}, "FromClass a,b x; FromClaim y; FromClaim b z"},
  };
  for (const auto& one : cases) {
    DeviceCatalog catalog;
    for (const auto& [name, said] : one.classes) {
      auto device_class = a_device_class(name);
      for (const auto* letter : said) device_class.config(opaque(letter));
      catalog.set(DeviceClass(device_class));
    }
    auto claim = a_device_claim("c").asks(a_request("a", one.of_a)).asks(a_request("b", one.of_b));
    claim.asks(a_request("c").either(a_request("1", "one")).either(a_request("2", "two")).either(a_request("3", "one")));
    for (const auto& [letter, requests] : one.claim) claim.config(opaque(letter), requests);
    DeviceAllocation allocation;
    for (const auto* request : {"a", "b", "b", "c/2"}) allocation.devices.push_back({request, "gpu", "n1", "d", false, false, {}});
    ShareNames shares("s-");
    EXPECT_EQ(in_short(allocation_text(catalog, claim, allocation, shares)), one.written) << one.what;
  }
}

TEST(ClaimWork, WhatDriversAreToldIsHandedOnAsItIsWritten) {
  const std::string odd = R"({ "parameters":{"b":1.50,"a":[null,1e400,"\u00e4"]}, "driver":"gpu" })";
  DeviceCatalog catalog;
  catalog.set(DeviceClass(a_device_class("gpus").config("")));
  const ResourceClaim claim = a_device_claim("c").asks(a_request("r", "gpus")).config(odd).has("n1", "d0");
  ShareNames shares("s-");
  EXPECT_NE(allocation_text(catalog, claim, *claim.allocation, shares)
                .find(R"(}],"config":[{"source":"FromClaim","opaque":)" + odd + R"(}]},"nodeSelector")"),
            std::string::npos)
      << "kinds of configuration that are not known are left out";
}

TEST(ClaimWork, WhatDriversAreToldDoesNotTellClaimsApart) {
  DeviceCatalog catalog;
  const auto request = a_request("r", "gpus");
  EXPECT_EQ(catalog.spec_of(a_device_claim("a").asks(request)), catalog.spec_of(a_device_claim("b").asks(request).config("{}")));
}

TEST(ClaimWork, DevicesThatHaveToBePreparedFirstAreInTheWay) {
  DeviceCatalog catalog;
  catalog.set(ResourceSlice(a_slice("n1").device(a_device("d0").prepared_first()).on("n1")));
  catalog.set(ResourceClaim(a_device_claim("c").asks(a_request("r", "gpus"))));
  const ResourceClaim given = a_device_claim("c").has("n1", "d0");
  ShareNames shares("s-");
  ClaimWork work;
  add_devices(catalog, "default/c", given.allocation, shares, work);
  EXPECT_NE(work.obstacle.find("gpu/n1/d0 has to be prepared"), std::string::npos) << work.obstacle;
  ClaimWork without;
  add_devices(catalog, "default/c", std::nullopt, shares, without);
  EXPECT_EQ(without.obstacle, "resource claim default/c has been given no devices");
}

// ------------------------------------------------------------------------------------------------------------ bodies

TEST(ClaimBodies, AVolumeIsSetAsideForAClaim) {
  PersistentVolume volume = a_volume("v1");
  volume.meta.uid = "uid-v1";
  volume.meta.resource_version = "9";
  EXPECT_EQ(path_of(volume).text(), "/api/v1/persistentvolumes/v1");
  const std::string claim_ref =
      R"("spec":{"claimRef":{"apiVersion":"v1","kind":"PersistentVolumeClaim","namespace":"default","name":"c","uid":"uid-c","resourceVersion":"7"}}})";
  EXPECT_EQ(volume_body(volume, a_waiting_claim("c")),
            R"({"metadata":{"uid":"uid-v1","resourceVersion":"9","annotations":{"pv.kubernetes.io/bound-by-controller":"yes"}},)" +
                claim_ref);
  volume.claim_namespace = "default";
  volume.claim_name = "c";
  EXPECT_EQ(volume_body(volume, a_waiting_claim("c")), R"({"metadata":{"uid":"uid-v1","resourceVersion":"9"},)" + claim_ref)
      << "who set it aside by hand keeps it";
}

TEST(ClaimBodies, AClaimIsToldForWhichNodeItsVolumeIsMade) {
  const auto claim = a_waiting_claim("c");
  EXPECT_EQ(path_of(claim).text(), "/api/v1/namespaces/default/persistentvolumeclaims/c");
  EXPECT_EQ(selected_node_body(claim, "n1"),
            R"({"metadata":{"uid":"uid-c","resourceVersion":"7","annotations":{"volume.kubernetes.io/selected-node":"n1"}}})");
}

TEST(ClaimBodies, ADeviceClaimGetsItsDevicesAndItsUser) {
  const ResourceClaim claim = a_device_claim("c");
  const kube::Identity pod{"default", "p", "uid-p", ""};
  EXPECT_EQ(path_of(claim).text(), "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c");
  EXPECT_EQ(status_path_of(claim).text(), "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims/c/status");
  EXPECT_EQ(finalizer_body(claim), R"({"metadata":{"uid":"uid-c","finalizers":["resource.kubernetes.io/delete-protection"]}})");
  const std::string user = R"("reservedFor":[{"resource":"pods","name":"p","uid":"uid-p"}]}})";
  EXPECT_EQ(reservation_body(claim, pod, "{}"), R"({"metadata":{"uid":"uid-c"},"status":{"allocation":{},)" + user);
  EXPECT_EQ(reservation_body(claim, pod, ""), R"({"metadata":{"uid":"uid-c"},"status":{)" + user);
  const std::string gone = R"("reservedFor":[{"$patch":"delete","uid":"uid-p"}]}})";
  EXPECT_EQ(unreserve_body(claim, pod, Allocation::kStays), R"({"metadata":{"uid":"uid-c"},"status":{)" + gone);
  EXPECT_EQ(unreserve_body(claim, pod, Allocation::kGoes), R"({"metadata":{"uid":"uid-c"},"status":{"allocation":null,)" + gone);
}

}  // namespace
}  // namespace muster::daemon
